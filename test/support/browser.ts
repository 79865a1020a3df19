export type Sender = (path: string, init: RequestInit) => Promise<Response>

/** As much of a browser as signing in needs: cookies, and redirects one at a time. */
export interface Browser {
  cookies: Map<string, string>
  get(path: string, init?: RequestInit): Promise<Response>
  /** Begins to sign in; gives the callback that the provider sends the browser to. */
  begin(path: string): Promise<string>
  /** All of it. */
  signIn(path: string): Promise<Response>
}

export function browser(send: Sender): Browser {
  const cookies = new Map<string, string>()

  function keep(response: Response) {
    for (const setCookie of response.headers.getSetCookie()) {
      const [pair = ''] = setCookie.split(';', 1)
      const name = pair.slice(0, pair.indexOf('='))
      if (/;\s*Max-Age=0/i.test(setCookie)) cookies.delete(name)
      else cookies.set(name, pair.slice(name.length + 1))
    }
  }

  const here: Browser = {
    cookies,
    async get(path, init = {}) {
      const headers = new Headers(init.headers)
      if (cookies.size) headers.set('cookie', [...cookies].map(pair => pair.join('=')).join('; '))
      const response = await send(path, { redirect: 'manual', ...init, headers })
      keep(response)
      return response
    },
    async begin(path) {
      const atProvider = locationOf(await here.get(path))
      const callback = new URL(locationOf(await fetch(atProvider, { redirect: 'manual' })))
      return callback.pathname + callback.search
    },
    signIn: async path => here.get(await here.begin(path)),
  }
  return here
}

export function locationOf(response: Response): string {
  const location = response.headers.get('location')
  if (!location) throw new Error(`no redirect but ${response.status}`)
  return location
}
