import { randomBytes, timingSafeEqual } from 'node:crypto'

/** Lets in the one browser that was opened with the address on the terminal. */
export class Gate {
  /** short enough for one line of a terminal */
  readonly token = randomBytes(16).toString('base64url')
  private readonly session = randomBytes(32).toString('base64url')
  private readonly cookie: string
  private used = false

  constructor(private readonly origin: string) {
    // cookies do not tell ports apart
    this.cookie = `faultline-editor-${new URL(origin).port}`
  }

  /** Why a request is refused; undefined where it may pass. */
  refusal(request: Request): string | undefined {
    const { headers, method } = request
    if (headers.get('host') !== new URL(this.origin).host) return 'another host is meant'
    const origin = headers.get('origin')
    if (origin === null ? method !== 'GET' : origin !== this.origin) return 'another site asks'
    const { pathname } = new URL(request.url)
    const site = headers.get('sec-fetch-site') ?? 'none'
    if (pathname !== '/' && !['same-origin', 'none'].includes(site)) return 'another site asks'
    return undefined
  }

  isKnown({ headers }: Request): boolean {
    const cookies = (headers.get('cookie') ?? '').split(/;\s*/)
    return cookies.some(
      pair => pair.startsWith(`${this.cookie}=`) && same(pair, `${this.cookie}=${this.session}`),
    )
  }

  /** The cookie for a token that is right, once. */
  exchange(token: string): string | undefined {
    if (this.used || !same(token, this.token)) return undefined
    this.used = true
    return `${this.cookie}=${this.session}; HttpOnly; SameSite=Lax; Path=/`
  }
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
