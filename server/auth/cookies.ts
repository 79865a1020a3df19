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
  if (!header) return []
  return header.split(';').flatMap(pair => {
    const at = pair.indexOf('=')
    return at < 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as [string, string]]
  })
}
