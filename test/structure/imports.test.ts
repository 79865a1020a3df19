import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dir, '../..')
const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g

const files = ['server/**/*.ts', 'cli/**/*.ts', 'web/src/**/*.{ts,svelte}'].flatMap(pattern => [
  ...new Bun.Glob(pattern).scanSync({ cwd: root }),
])

/** What a file imports, types included: files as paths from the root, packages by their name. */
const importsOf = new Map(
  files.map(file => {
    const source = readFileSync(join(root, file), 'utf8')
    return [file, [...source.matchAll(IMPORT)].map(([, path]) => resolved(file, path!.split('?')[0]!))]
  }),
)

function resolved(from: string, path: string): string {
  if (!path.startsWith('.')) return path
  const target = relative(root, join(root, dirname(from), path))
  return files.find(file => file === target || file === `${target}.ts`) ?? target
}

const GROUND = 'ground'
const features = ['auth', 'defects', 'projects', 'push', 'backup']

/** The folder that a file lives in; what lies loose in `server/` and knows nothing of ours is the ground. */
function placeOf(file: string): string {
  if (file.startsWith('web/')) return 'web'
  const folder = dirname(file).replace(/^server\//, '')
  if (folder !== 'server') return folder.replace(/^board\/.*/, 'board')
  return /\/(serve|deps)\.ts$/.test(file) ? file.slice('server/'.length, -'.ts'.length) : GROUND
}

/** Who may import whom, folder against folder. Everybody may use their own folder and the ground. */
const directions: Record<string, string[]> = {
  cli: ['cli/commands', 'cli/terminal', 'config', 'db'],
  'cli/commands': [
    'cli',
    'cli/checks',
    'cli/terminal',
    'config',
    'db',
    'board',
    'demo',
    'editor',
    'serve',
    ...features,
  ],
  'cli/checks': ['cli/terminal', 'config', 'db', 'board', 'demo', ...features],
  'cli/terminal': ['config', 'db', 'embedded', 'board', ...features],
  web: ['http', 'deps', 'editor'],
  editor: ['board', 'http'],
  serve: ['http', 'db', 'embedded', 'config', 'board', 'deps', ...features],
  deps: ['config', 'db', 'board', 'auth', 'push'],
  http: ['config', 'deps', ...features],
  auth: ['config', 'db', 'deps'],
  defects: ['db', 'auth', 'board', 'push', 'deps'],
  projects: ['db', 'auth', 'deps'],
  push: ['db', 'auth', 'board', 'config', 'deps'],
  backup: ['db', 'auth', 'defects', 'projects'],
  demo: ['db', 'board', 'config', 'defects', 'projects'],
  db: ['embedded', 'config'],
  embedded: [],
  config: [],
  board: [],
  [GROUND]: [],
}

test('every folder imports only what its place allows', () => {
  const forbidden = edges()
    .filter(([from, to]) => {
      const [place, target] = [placeOf(from), placeOf(to)]
      return place !== target && target !== GROUND && !directions[place]?.includes(target)
    })
    .map(([from, to]) => `${from} imports ${to}`)
  expect(forbidden).toEqual([])
})

test('no files import each other in a circle, types included', () => {
  const circles: string[][] = []
  const path: string[] = []
  const done = new Set<string>()
  const visit = (file: string) => {
    if (path.includes(file)) circles.push(path.slice(path.indexOf(file)))
    if (path.includes(file) || done.has(file)) return
    path.push(file)
    for (const next of importsOf.get(file)?.filter(ours) ?? []) visit(next)
    path.pop()
    done.add(file)
  }
  for (const file of files) visit(file)
  expect(circles).toEqual([])
})

test('HTTP stays in the front and the features, the command line in its folder, OAuth in auth', () => {
  const usersOf = (name: RegExp) =>
    new Set(files.filter(file => importsOf.get(file)!.some(path => name.test(path))).map(placeOf))
  const beyond = (name: RegExp, places: string[]) =>
    [...usersOf(name)].filter(place => !places.includes(place))
  expect(beyond(/^(elysia|@elysiajs\/.*)$/, ['http', GROUND, 'web', ...features])).toEqual([])
  expect(beyond(/^commander$/, ['cli', 'cli/commands', 'cli/terminal'])).toEqual([])
  expect(beyond(/^arctic$/, ['auth'])).toEqual([])
})

function edges(): [string, string][] {
  return files.flatMap(from =>
    importsOf
      .get(from)!
      .filter(ours)
      .map((to): [string, string] => [from, to]),
  )
}

function ours(path: string): boolean {
  return importsOf.has(path)
}
