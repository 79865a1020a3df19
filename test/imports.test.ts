import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dir, '..')
const transpiler = new Bun.Transpiler({ loader: 'ts' })

const files = ['server/**/*.ts', 'cli/*.ts', 'web/src/**/*.ts'].flatMap(pattern => [
  ...new Bun.Glob(pattern).scanSync({ cwd: root }),
])

/** What a file imports at run time, as paths from the root; packages by their name. Type-only imports do not count. */
function importsOf(file: string): string[] {
  return transpiler
    .scanImports(readFileSync(join(root, file), 'utf8').replace(/^#!.*/, ''))
    .map(({ path }) => (path.startsWith('.') ? relative(root, join(root, dirname(file), path)) : path))
}

const ours = (path: string) => /^(server|cli|web|test)\//.test(path)

/** Who may import whom: the first rule that fits a file is its rule. */
const rules: { who: RegExp; may: RegExp }[] = [
  { who: /^server\/(errors|log|assets|environment|outbound|coalesce|text|deps)\.ts$/, may: /^$/ },
  { who: /^server\/config\.ts$/, may: /^server\/environment\.ts$/ },
  { who: /^server\/schema\.ts$/, may: /^server\/text\.ts$/ },
  { who: /^server\/request\.ts$/, may: /^server\/(errors|gate)\.ts$/ },
  { who: /^server\/web\.ts$/, may: /^$/ },
  { who: /^server\/gate\.ts$/, may: /^server\/(errors\.ts|auth\/return-to\.ts)$/ },
  { who: /^server\/surface\.ts$/, may: /^server\/(errors|web)\.ts$/ },
  { who: /^server\/db\//, may: /^server\/(db\/|errors\.ts|assets\.ts)/ },
  { who: /^server\/board\//, may: /^server\/(board\/|text\.ts)/ },
  { who: /^server\/\w+\/model\.ts$/, may: /^server\/(schema|errors|text|outbound)\.ts$|^server\/push\// },
  { who: /^server\/health\.ts$/, may: /^$/ },
  {
    who: /^server\/\w+\/routes\.ts$/,
    may: /^server\/(\w+\/(model|service|cursor|guards)\.ts|schema\.ts|errors\.ts|coalesce\.ts|auth\/|web\.ts)/,
  },
  { who: /^server\/auth\//, may: /^server\/(auth\/|errors\.ts|outbound\.ts|web\.ts)/ },
  { who: /^server\/backup\//, may: /^server\/(backup|db|errors\.ts|defects\/|projects\/|push\/)/ },
  {
    who: /^server\/\w+\/\w+\.ts$/,
    may: /^server\/(db\/|errors\.ts|text\.ts|outbound\.ts|\w+\/(?!routes)[\w-]+\.ts)$/,
  },
  {
    who: /^server\/app\.ts$/,
    may: /^server\/(gate|errors|request|schema|surface|web|health)\.ts$|^server\/\w+\/routes\.ts$|^server\/auth\//,
  },
  { who: /^server\/serve\.ts$/, may: /^server\// },
  { who: /^cli\//, may: /^(cli|server)\/|^package\.json$/ },
  { who: /^web\//, may: /^web\// },
]

test.each(files)('%s imports only what its place allows', file => {
  const rule = rules.find(({ who }) => who.test(file))
  expect(rule).toBeDefined()
  const forbidden = importsOf(file).filter(path => ours(path) && !rule!.may.test(path))
  expect(forbidden).toEqual([])
})

test('services know neither HTTP nor the terminal', () => {
  for (const file of files.filter(path => /^server\/.*(service|sender|queue|cursor)\.ts$/.test(path))) {
    expect([
      file,
      importsOf(file).filter(path => /^(elysia|commander)$|routes\.ts$|^cli\//.test(path)),
    ]).toEqual([file, []])
  }
})

test('only one file speaks OAuth, and only cli/serve and cli/demo start the server', () => {
  expect(files.filter(file => importsOf(file).includes('arctic'))).toEqual(['server/auth/oidc.ts'])
  const starters = files.filter(file => importsOf(file).includes('server/serve.ts'))
  expect(starters.filter(file => !['cli/serve.ts', 'cli/demo.ts'].includes(file))).toEqual([])
})

test('the demo provider can be reached from the demo command alone', () => {
  const users = files.filter(file => importsOf(file).includes('server/auth/demo-provider.ts'))
  expect(users.filter(file => file !== 'cli/demo.ts')).toEqual([])
})
