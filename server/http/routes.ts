import type { Config } from '../config/read.ts'

export type Audience = 'public' | 'session' | 'owner'
export type Route = readonly [methods: string, path: string, who: Audience, what: string]

/** Every address of the API and of signing in. The gate lets nothing else through. */
export const apiRoutes: readonly Route[] = [
  ['GET HEAD', '/api/health', 'public', 'can reports be stored; with ?live: does it run'],
  ['GET HEAD', '/api/session', 'public', 'who is signed in'],
  ['GET HEAD', '/api/openapi.json', 'session', 'the description of this API'],
  ['GET HEAD', '/api/projects', 'session', 'all projects by name'],
  ['POST', '/api/projects', 'session', 'find or create a project'],
  ['GET HEAD', '/api/defects', 'session', 'the feed, newest first'],
  ['POST', '/api/defects', 'session', 'report a defect'],
  ['GET HEAD', '/api/defects/counts', 'session', 'defects of each section'],
  ['GET HEAD', '/api/defects/trends', 'session', 'defects of each section by day'],
  ['GET HEAD', '/api/defects/export', 'session', 'all that is narrowed to, as a file'],
  ['GET HEAD', '/api/defects/{id}', 'session', 'one defect'],
  ['POST', '/api/subscriptions', 'owner', 'send push messages to this device'],
  ['DELETE', '/api/subscriptions', 'owner', 'send no more to this device'],
  ['GET HEAD', '/login', 'public', 'the page that leads to the provider'],
  ['GET HEAD', '/auth/{provider}', 'public', 'begin to sign in'],
  // A HEAD would use up the code that the provider sent.
  ['GET', '/auth/{provider}/callback', 'public', 'finish signing in'],
  ['POST', '/auth/logout', 'public', 'sign out'],
]

/** Pages of the interface: one shell without data. */
export const pageRoutes: readonly Route[] = [
  ['GET HEAD', '/', 'session', 'the board and its feed'],
  ['GET HEAD', '/sections/{id}', 'session', 'the history of a section'],
  ['GET HEAD', '/defects/{id}', 'session', 'one defect and its place'],
  ['GET HEAD', '/labels', 'session', 'labels with QR codes to print'],
]

/** Files made at start; the bundle's own files, which hold no data, are added to them. */
export const fileRoutes: readonly Route[] = [['GET HEAD', '/board.svg', 'session', 'the board in use']]

/** One address: what each method needs, as the gate asks for it. */
export interface Address {
  /** as in the table, such as `/sections/{id}` */
  path: string
  audiences: ReadonlyMap<string, Audience>
  isPublic: boolean
  /** one of the bundle's own files */
  isFile: boolean
  allow: string
}

export interface AddressBook {
  find(path: string): Address | undefined
  all(): Iterable<Address>
}

export function createAddressBook(
  config: Pick<Config, 'oauth'>,
  bundle: Iterable<string>,
  boardImages: Iterable<string>,
): AddressBook {
  const exact = new Map<string, Address>()
  const patterns: { pattern: RegExp; address: Address }[] = []

  function add([methods, template, who]: Route, isFile = false): void {
    const path = template.replace('{provider}', config.oauth.provider)
    const known = exact.get(path) ?? patterns.find(({ address }) => address.path === path)?.address
    const audiences = new Map([
      ...(known?.audiences ?? []),
      ...methods.split(' ').map(method => [method, who] as const),
    ])
    const allow = [...audiences.keys()].join(', ')
    const address = { path, audiences, isPublic: who === 'public', isFile, allow }
    if (path.includes('{')) patterns.push({ pattern: patternOf(path), address })
    else exact.set(path, address)
  }

  for (const route of [...apiRoutes, ...pageRoutes, ...fileRoutes]) add(route)
  for (const path of boardImages) add(['GET HEAD', path, 'session', 'a picture inside the board'])
  for (const path of bundle) add(['GET HEAD', path, 'public', 'a built file'], true)

  return {
    find: path => exact.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.address,
    all: () => [...exact.values(), ...patterns.map(({ address }) => address)],
  }
}

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
