export interface OutboundRequest {
  /** Asked about the URL as it will be dialled, after parsing. */
  allow: (url: URL) => boolean
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  /** For everything together: name look-up, TLS, waiting, the whole body. */
  deadlineMs: number
  /** No more of the answer is read. */
  maxBytes: number
  /** The status is what counts: a body that takes longer is cut there. Without it a late body is a fault. */
  bodyMs?: number
  /** Gives up early, e.g. at shutdown. */
  signal?: AbortSignal
}

export interface OutboundAnswer {
  status: number
  headers: Headers
  body: Uint8Array<ArrayBuffer>
  /** false: the answer was longer than `maxBytes` and was cut there */
  complete: boolean
}

export class OutboundFault extends Error {
  constructor(
    readonly reason: 'not_allowed' | 'timed_out' | 'aborted' | 'unreachable',
    detail: string,
  ) {
    super(detail)
  }
}

/** The one way out. Redirects come back as they are; whatever goes wrong is an `OutboundFault`. */
export async function request(address: string | URL, options: OutboundRequest): Promise<OutboundAnswer> {
  const url = admitted(address, options.allow)
  const deadline = AbortSignal.timeout(options.deadlineMs)
  const signal = options.signal ? AbortSignal.any([deadline, options.signal]) : deadline
  try {
    return await exchange(url, options, signal)
  } catch (error) {
    throw outboundFault(error, url, deadline, options)
  }
}

function admitted(address: string | URL, allow: (url: URL) => boolean): URL {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || !allow(url)) {
    throw new OutboundFault('not_allowed', 'this address may not be called')
  }
  return url
}

async function exchange(url: URL, options: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
  const late = rejectedBy(signal)
  const cut = new AbortController()
  const answered = fetch(url.href, {
    method: options.method ?? 'GET',
    headers: { 'accept-encoding': 'identity', 'user-agent': 'Faultline', ...options.headers },
    body: options.body,
    redirect: 'manual',
    signal: AbortSignal.any([signal, cut.signal]),
  })
  const response = await Promise.race([answered, late])
  const reading = readAtMost(response, options.maxBytes)
  const { body, complete } = await (options.bodyMs === undefined
    ? Promise.race([reading, late])
    : settled(reading, options.bodyMs))
  if (!complete) cut.abort()
  return { status: response.status, headers: response.headers, body, complete }
}

type Reading = Pick<OutboundAnswer, 'body' | 'complete'>

async function readAtMost(response: Response, maxBytes: number): Promise<Reading> {
  const chunks: Uint8Array[] = []
  let left = maxBytes
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, left))
    left -= chunk.byteLength
    if (left < 0) break
  }
  return { body: new Uint8Array(Buffer.concat(chunks)), complete: left >= 0 }
}

/** What was read in time, or nothing: the status stands whatever becomes of the body. */
function settled(reading: Promise<Reading>, ms: number): Promise<Reading> {
  const nothing = { body: new Uint8Array(), complete: false }
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(nothing), ms)
    reading.then(resolve, () => resolve(nothing)).finally(() => clearTimeout(timer))
  })
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function outboundFault(
  error: unknown,
  url: URL,
  deadline: AbortSignal,
  options: OutboundRequest,
): OutboundFault {
  if (deadline.aborted) return new OutboundFault('timed_out', `${url.host} did not answer in time`)
  if (options.signal?.aborted) return new OutboundFault('aborted', `the call to ${url.host} was given up`)
  const { code } = error as { code?: unknown }
  const cause = typeof code === 'string' ? ` (${code})` : ''
  return new OutboundFault('unreachable', `${url.host} cannot be reached${cause}`)
}
