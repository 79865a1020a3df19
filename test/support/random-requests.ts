import { impossibleHosts, possibleHosts } from './odd-hosts.ts'
import { randomness } from './random.ts'

export interface Known {
  paths: string[]
  cookies: string[]
  origin: string
  projectId: string
}

const methods = [
  ...['GET', 'GET', 'GET', 'GET', 'POST', 'POST', 'POST', 'HEAD', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'],
  ...['TRACE', 'CONNECT', 'PROPFIND', 'get', 'G\xe9T', 'X'.repeat(300)],
]
const names = [
  ...['limit', 'section', 'project', 'q', 'since', 'before', 'by', 'days', 'back', 'format', 'live', 'state'],
  ...[
    'code',
    'error',
    'iss',
    'return_to',
    'prompt',
    'x',
    '__proto__',
    'constructor',
    '%00',
    '%zz',
    '\xe9',
    '',
  ],
]
const values = [
  ...['1', '0', '-1', '200', '201', '1e2', '0x10', '7d', '366d', '367d', 'usb-port', 'nowhere', 'toString'],
  ...[
    '%00',
    '%ff',
    '%zz',
    '%F0%9F%92%A9',
    'a'.repeat(600),
    "'or+1=1--",
    '%',
    '\xff',
    '//evil',
    '',
    '[]',
    '+',
  ],
  ...[
    'access_denied',
    'server_error',
    'pi-h',
    '%E2%80%AE',
    'eyJhIjoxfQ',
    '00000000-0000-0000-0000-000000000000',
  ],
]
const tricks = [
  ...['/', '//', '/..', '/%2e%2e/', '/%00', '/\\', ';x', '.json', '/x', '?', '#', '%2f', '%', '\xe9', '/a'],
  ...['/../api/defects', '/%61', '/:id', '/{id}', '/*'],
]
const headers = [
  ...['Origin: https://evil.test', 'Origin: null', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Site: none'],
  ...['Accept-Encoding: br', 'Accept-Encoding: gzip;q=0, *', 'If-None-Match: *', 'If-None-Match: "x", W/"y"'],
  ...['Idempotency-Key: k', 'Idempotency-Key: \xe9', 'Range: bytes=0-1', 'Expect: 100-continue', 'Expect: x'],
  ...[
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Transfer-Encoding: chunked',
    'Content-Length: 5',
    'TE: trailers',
  ],
  ...[
    'X-Forwarded-Host: evil.test',
    'X-HTTP-Method-Override: DELETE',
    'Accept: text/html',
    'Cookie: a=b',
    'Host: b',
  ],
]
const types = [
  ...[
    'application/json',
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'text/plain',
  ],
  ...[
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'a',
    '\xff',
  ],
]
const versions = [...Array<string>(100).fill('1.1'), '1.0', '1.0', '1.2', '2.0', '0.9', 'x']

/** Requests as bytes, one after the other, the same ones for the same seed. */
export function randomRequests(seed: number, known: Known): () => string {
  const random = randomness(seed)
  const pick = <T>(list: T[]): T => list[random(list.length)]!
  const often = <T>(percent: number, made: () => T, otherwise: T): T =>
    random(100) < percent ? made() : otherwise

  function target(): string {
    const path = pick(known.paths).replace(/\{\w+\}/g, () => pick(values))
    const tricked = often(20, () => path + pick(tricks), path)
    const pairs = Array.from({ length: random(4) }, () => `${pick(names)}=${pick(values)}`)
    return tricked + (pairs.length ? `?${pairs.join('&')}` : '')
  }

  function body(): string {
    const report = {
      section_id: pick(values),
      project_id: pick([known.projectId, ...values]),
      verbatim: pick(values),
    }
    const json = pick<unknown>([
      ...[
        report,
        { ...report, section_id: 'cpu', project_id: known.projectId, verbatim: 'Loose' },
        { ...report, section_id: 'cpu', project_id: known.projectId },
        { name: pick(values) },
      ],
      ...[{ endpoint: pick(values), keys: { p256dh: 'x', auth: 'y' } }, { toString: 1 }, [], null, 'x', 1],
    ])
    const text = JSON.stringify(random(50) ? json : { name: 'x'.repeat(70_000) })
    return pick([
      text,
      text,
      text,
      text.slice(0, -1),
      '['.repeat(random(3_000)),
      '\xff\xfe',
      '\0',
      '{"a":"\\ud800"}',
      '',
    ])
  }

  function mutated(bytes: string): string {
    const at = random(bytes.length)
    const byte = String.fromCharCode(random(256))
    return pick([
      bytes.slice(0, at) + byte + bytes.slice(at + 1),
      bytes.slice(0, at) + byte + bytes.slice(at),
      bytes.slice(0, at) + bytes.slice(at + 1 + random(8)),
      bytes.slice(0, at) + bytes.slice(at, at + 20).repeat(2) + bytes.slice(at + 20),
    ])
  }

  /** What the product is for: without it chance would hardly ever store a report. */
  function report(): string {
    const content = JSON.stringify({
      section_id: 'cpu',
      project_id: known.projectId,
      verbatim: pick(values) || 'Loose',
    })
    const lines = [
      `Host: ${pick(possibleHosts)}`,
      `Cookie: ${pick(known.cookies)}`,
      'Content-Type: application/json',
    ]
    return `POST /api/defects HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: ${content.length}\r\n\r\n${content}`
  }

  return () => {
    if (random(30) === 0) return often(15, () => mutated(report()), report())
    const host = often(25, () => pick([...impossibleHosts, ...possibleHosts]), new URL(known.origin).host)
    const lines = [...often(97, () => [`Host: ${host}`], [])]
    if (random(2)) lines.push(`Cookie: ${often(15, () => mutated(pick(known.cookies)), pick(known.cookies))}`)
    lines.push(...Array.from({ length: often(30, () => 1 + random(3), 0) }, () => pick(headers)))
    const method = pick(methods)
    const content = method === 'GET' || method === 'HEAD' ? '' : body()
    if (content || random(2)) lines.push(`Content-Type: ${pick(types)}`, `Content-Length: ${content.length}`)
    const request = `${[`${method} ${target()} HTTP/${pick(versions)}`, ...lines].join('\r\n')}\r\n\r\n${content}`
    return often(15, () => mutated(request), request)
  }
}
