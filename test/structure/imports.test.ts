import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dir, '../..')
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

interface Rule {
  who: RegExp
  may: RegExp
}

/** A feature uses its own files and another one's service, never its routes. */
const rulesOf = (feature: string): Rule[] => [
  {
    who: new RegExp(`^server/${feature}/model\\.ts$`),
    may: new RegExp(`^server/((schema|errors|base64url)|${feature}/endpoint)\\.ts$`),
  },
  {
    who: new RegExp(`^server/${feature}/routes\\.ts$`),
    may: new RegExp(
      `^server/(schema|errors|coalesce|auth/guards|${feature}/(model|service|feed|counts|cursor))\\.ts$`,
    ),
  },
  {
    who: new RegExp(`^server/${feature}/`),
    may: new RegExp(
      `^server/(db/.+|errors|text|outbound|loopback|board/board|\\w+/service|${feature}/(?!routes)[\\w-]+)\\.ts$`,
    ),
  },
]

/** Who may import whom: the first rule that fits a file is its rule. */
const rules: Rule[] = [
  {
    who: /^server\/(errors|log|assets|outbound|coalesce|text|deps|loopback|base64url|web|health)\.ts$/,
    may: /^$/,
  },
  { who: /^server\/environment\.ts$/, may: /^server\/(base64url|loopback)\.ts$/ },
  { who: /^server\/config\.ts$/, may: /^server\/environment\.ts$/ },
  { who: /^server\/schema\.ts$/, may: /^server\/text\.ts$/ },
  { who: /^server\/request\.ts$/, may: /^server\/(errors|gate)\.ts$/ },
  { who: /^server\/gate\.ts$/, may: /^server\/(errors|loopback|auth\/return-to)\.ts$/ },
  { who: /^server\/surface\.ts$/, may: /^server\/(errors|web)\.ts$/ },
  { who: /^server\/db\//, may: /^server\/(db\/|errors\.ts|assets\.ts)/ },
  { who: /^server\/board\//, may: /^server\/(board\/|text\.ts)/ },
  { who: /^server\/auth\/demo-/, may: /^server\/(auth\/demo-pages|loopback|web)\.ts$/ },
  {
    who: /^server\/auth\//,
    may: /^server\/(auth\/(?!demo-|routes)[\w-]+|errors|loopback|outbound|web)\.ts$/,
  },
  { who: /^server\/backup\//, may: /^server\/(backup|db)\// },
  { who: /^server\/demo\//, may: /^server\/(demo|db)\// },
  ...['defects', 'projects', 'push'].flatMap(rulesOf),
  {
    who: /^server\/app\.ts$/,
    may: /^server\/(gate|errors|request|schema|surface|web|health|\w+\/routes|auth\/(guards|session))\.ts$/,
  },
  {
    who: /^server\/serve\.ts$/,
    may: /^server\/(app|assets|errors|web|auth\/oidc|board\/board|db\/(database|migrate|open|upkeep)|push\/queue)\.ts$/,
  },
  { who: /^cli\/serve\.ts$/, may: /^(cli\/[\w-]+|server\/(config|log|serve))\.ts$/ },
  {
    who: /^cli\/demo\.ts$/,
    may: /^(cli\/[\w-]+|server\/(config|log|serve|board\/board|auth\/demo-provider|demo\/samples))\.ts$/,
  },
  {
    who: /^cli\//,
    may: /^(cli|server\/(db|backup))\/|^server\/(config|errors|log|loopback|outbound|board\/board|\w+\/service|defects\/(feed|follow|counts|cursor)|push\/sender)\.ts$/,
  },
  { who: /^web\//, may: /^web\// },
]

test.each(files)('%s imports only what its place allows', file => {
  const rule = rules.find(({ who }) => who.test(file))
  expect(rule).toBeDefined()
  const forbidden = importsOf(file).filter(path => ours(path) && !rule!.may.test(path))
  expect(forbidden).toEqual([])
})

test('HTTP stays in schemas, routes and the application, the command line in its folder', () => {
  const importersOf = (name: RegExp) => files.filter(file => importsOf(file).some(path => name.test(path)))
  const http = /^server\/((app|schema|health|auth\/guards)|\w+\/(routes|model))\.ts$/
  expect(importersOf(/^(@elysiajs\/openapi|elysia)$/).filter(file => !http.test(file))).toEqual([])
  expect(importersOf(/^commander$/).filter(file => !file.startsWith('cli/'))).toEqual([])
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
