import type { Config } from '../config/read.ts'

/** Our cookies' names and attributes, which follow from the origin that people type. */
export function cookieJar({ publicUrl }: Pick<Config, 'publicUrl'>) {
  const secure = publicUrl.startsWith('https:')
  const prefix = secure ? '__Host-faultline' : 'faultline'
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    name: (suffix = '') => prefix + suffix,
    set: (name: string, value: string, maxAge: number) =>
      `${name}=${value}; Max-Age=${maxAge}; ${attributes}`,
    clear: (name: string) => `${name}=; Max-Age=0; ${attributes}`,
  }
}

/** Name and value of each cookie as sent: browsers put the longer path first, then the older one. */
export function cookiesOf(header: string | null): [name: string, value: string][] {
  const cookies: [string, string][] = []
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at >= 0) cookies.push([pair.slice(0, at).trim(), pair.slice(at + 1).trim()])
  }
  return cookies
}
