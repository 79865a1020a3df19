import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Shot {
  url: string
  connections: number
  seconds: number
  headers?: Record<string, string>
  /** a body makes it a POST */
  body?: string
  /** of a hundred requests, so many are the POST with `body`, the others GET `url` */
  postPercent?: number
  postUrl?: string
}

export interface Measured {
  perSecond: number
  p50Ms: number
  p99Ms: number
  failed: number
}

export const generator = Bun.which('wrk') ? 'wrk' : 'autocannon'

export function load(shot: Shot, scratch: string): Promise<Measured> {
  return generator === 'wrk' ? byWrk(shot, scratch) : byAutocannon(shot)
}

async function byWrk(shot: Shot, scratch: string): Promise<Measured> {
  // Two servers may be asked at once.
  const script = join(scratch, `shot-${new URL(shot.url).port}.lua`)
  writeFileSync(script, luaOf(shot))
  const threads = Math.min(shot.connections, 2)
  const command = [
    'wrk',
    '-t',
    threads,
    '-c',
    shot.connections,
    '-d',
    `${shot.seconds}s`,
    '-s',
    script,
    shot.url,
  ]
  const child = Bun.spawn(command.map(String), { stdout: 'pipe', stderr: 'inherit' })
  const report = await new Response(child.stdout).text()
  const [, perSecond, p50, p99, failed] = /RESULT (\S+) (\S+) (\S+) (\S+)/.exec(report) ?? []
  if (perSecond === undefined) throw new Error(`wrk said: ${report}`)
  return { perSecond: Number(perSecond), p50Ms: Number(p50), p99Ms: Number(p99), failed: Number(failed) }
}

function luaOf({ url, headers = {}, body, postPercent, postUrl }: Shot): string {
  const path = (of: string) => JSON.stringify(new URL(of).pathname + new URL(of).search)
  const table = (fields: Record<string, string>) =>
    `{${Object.entries(fields).map(([name, value]) => `[${JSON.stringify(name)}]=${JSON.stringify(value)}`)}}`
  const get = `wrk.format("GET", ${path(url)}, ${table(headers)})`
  const post = `wrk.format("POST", ${path(postUrl ?? url)}, ${table({ ...headers, 'content-type': 'application/json' })}, ${JSON.stringify(body ?? '')})`
  const mixed = `if math.random(100) <= ${postPercent ?? 0} then return ${post} end return ${get}`
  return `
request = function() ${postPercent === undefined ? `return ${body === undefined ? get : post}` : mixed} end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %f %f %f %d\\n", summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, e.status + e.connect + e.read + e.timeout))
end`
}

async function byAutocannon(shot: Shot): Promise<Measured> {
  const { default: autocannon } = await import('autocannon')
  const headers = { ...shot.headers, ...(shot.body ? { 'content-type': 'application/json' } : {}) }
  const { pathname, search, origin } = new URL(shot.url)
  const get = { method: 'GET' as const, path: pathname + search, headers }
  const post = {
    method: 'POST' as const,
    path: new URL(shot.postUrl ?? shot.url).pathname,
    headers,
    body: shot.body,
  }
  const gets = shot.postPercent ? Math.round(100 / shot.postPercent) - 1 : 0
  const requests = shot.postPercent
    ? [...Array(gets).fill(get), post]
    : [shot.body === undefined ? get : post]
  const result = await autocannon({
    url: origin,
    connections: shot.connections,
    duration: shot.seconds,
    requests,
  })
  return {
    perSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: result.non2xx + result.errors,
  }
}
