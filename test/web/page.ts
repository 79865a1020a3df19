/** As much of a page around state classes as they touch: a browser's memory, its events, its address, its server. */
class Memory {
  private readonly values = new Map<string, string>()
  full = false

  getItem(name: string): string | null {
    return this.values.get(name) ?? null
  }
  setItem(name: string, value: string): void {
    if (this.full) throw new Error('the memory is full')
    this.values.set(name, value)
  }
  removeItem(name: string): void {
    this.values.delete(name)
  }
  clear(): void {
    this.values.clear()
    this.full = false
  }
}

export const memory = new Memory()
/** Where the page went, by `replace` or `reload`. */
export const left: string[] = []
const root = { style: { visibility: '' } }
let windowEvents = new EventTarget()
let pageEvents = new EventTarget()

/** A page as it opens: nothing remembered, nobody listening. */
export function newPage(): void {
  memory.clear()
  left.length = 0
  root.style.visibility = ''
  windowEvents = new EventTarget()
  pageEvents = new EventTarget()
}

/** Hears what `target()` is when it is asked. */
const listening = (target: () => EventTarget) => ({
  addEventListener: (...args: Parameters<EventTarget['addEventListener']>) =>
    target().addEventListener(...args),
  removeEventListener: (...args: Parameters<EventTarget['removeEventListener']>) =>
    target().removeEventListener(...args),
  dispatchEvent: (event: Event) => target().dispatchEvent(event),
})

interface Answer {
  status?: number
  headers?: Record<string, string>
  json: unknown
}
let answer: (path: string, request: Request) => Answer | undefined

/** What the server answers from now on; `undefined`: it is out of reach. */
export function serve(answers: typeof answer): void {
  answer = answers
}

async function fetched(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(new URL(String(input), 'http://faultline.test/'), init)
  const given = answer(request.url.slice('http://faultline.test'.length), request)
  if (!given) throw new TypeError('no answer')
  if (given.status === 304) return new Response(null, { status: 304, headers: given.headers ?? {} })
  return Response.json(given.json, { status: given.status ?? 200, headers: given.headers ?? {} })
}

Object.assign(globalThis, {
  window: globalThis,
  localStorage: memory,
  document: { visibilityState: 'visible', documentElement: root, ...listening(() => pageEvents) },
  fetch: fetched,
  scrollTo() {},
  Element: class {},
  history: {
    pushState: (_: unknown, __: string, to: string) => moveTo(to, [...visited, to]),
    replaceState: (_: unknown, __: string, to: string) => moveTo(to, [...visited.slice(0, -1), to]),
  },
  location: {
    origin: 'http://faultline.test',
    pathname: '/',
    search: '',
    replace: (path: string) => left.push(path),
    reload: () => left.push('reload'),
  },
  ...listening(() => windowEvents),
})

let visited = ['/']
function moveTo(to: string, then: string[]): void {
  visited = then
  const { pathname, search } = new URL(to, location.origin)
  Object.assign(location, { pathname, search })
}
export const address = () => location.pathname + location.search
export const openAt = (to: string) => moveTo(to, [to])
export function back(): void {
  moveTo(visited.at(-2)!, visited.slice(0, -1))
  dispatchEvent(new Event('popstate'))
}

/** As another tab's writing reaches this one. */
export function writtenElsewhere(name: string, value: string | null): void {
  if (value === null) memory.removeItem(name)
  else memory.setItem(name, value)
  dispatchEvent(Object.assign(new Event('storage'), { key: name, newValue: value }))
}

export const hidden = () => root.style.visibility === 'hidden'
export const show = () => document.dispatchEvent(new Event('visibilitychange'))
/** Into the browser's memory of pages, and back out of it. */
export const moved = (event: 'pagehide' | 'pageshow') =>
  dispatchEvent(Object.assign(new Event(event), { persisted: true }))
