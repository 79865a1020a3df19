/** One server, or several of which the first that takes writes is used. */
export interface PostgresUrl {
  /** with every port written out when there are several hosts */
  url: string
  hosts: string[]
}

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/
const DEFAULT_PORT = '5432'
/** Of libpq's `target_session_attrs` those under which a report can be stored. */
const WRITABLE = ['primary', 'read-write']

/** Hosts and ports as libpq reads them: `postgres://user@one:5432,two:5433/name?target_session_attrs=primary`. */
export function parsePostgresUrl(text: string): PostgresUrl | undefined {
  const [, start = '', list = '', rest = ''] = PARTS.exec(text) ?? []
  const urls = start ? list.split(',').map(host => URL.parse(start + host + rest)) : [null]
  if (!urls.every(url => url !== null)) return undefined
  const wanted = urls[0]!.searchParams.get('target_session_attrs')
  if (wanted !== null && !WRITABLE.includes(wanted)) return undefined
  if (urls.length === 1) return { url: text, hosts: [urls[0]!.host] }
  // The driver cuts a list of hosts at their colons.
  if (urls.some(({ hostname }) => !hostname || hostname.includes(':'))) return undefined
  const hosts = urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`)
  return { url: start + hosts.join() + rest, hosts }
}
