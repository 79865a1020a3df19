import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import lock from '../bun.lock'
import manifest from '../package.json'
import { entries, root } from './compile.ts'

/** What the page is built with stays in it; Vite bundles it, apart from the server. */
const IN_THE_PAGE = ['svelte', '@elysiajs/eden', 'uqr']
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-]|$)/i
const BUN_LICENCES = 'https://bun.sh/docs/project/licensing'

export interface Package {
  name: string
  version: string
  licence: string
  /** the texts that have to travel with it */
  texts: string[]
  sha512?: string
}

/** Every package that a module of the executable comes from, as the bundler sees it. */
export async function packagesInside(): Promise<Package[]> {
  const { metafile } = await Bun.build({
    entrypoints: entries.map(entry => join(root, entry)),
    root,
    target: 'bun',
    metafile: true,
  })
  const folders = Object.keys(metafile?.inputs ?? {}).flatMap(path => PACKAGE_FOLDER.exec(path)?.[0] ?? [])
  const page = IN_THE_PAGE.map(name => `node_modules/${name}`)
  const packages = [...new Set([...folders, ...page])].map(packageIn)
  return packages.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
}
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

const idOf = ({ name, version }: Pick<Package, 'name' | 'version'>) => `${name}@${version}`

function packageIn(folder: string): Package {
  const own = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const texts = readdirSync(join(root, folder))
    .filter(name => LICENCE_FILE.test(name))
    .map(name => readFileSync(join(root, folder, name), 'utf8').trim())
  const locked = Object.values(lock.packages).find(([id]) => id === idOf(own))
  const integrity = locked?.find(part => typeof part === 'string' && part.startsWith('sha512-'))
  return {
    name: own.name,
    version: own.version,
    licence: typeof own.license === 'string' ? own.license : (own.license?.type ?? 'see its text'),
    texts,
    ...(typeof integrity === 'string' ? { sha512: integrity.slice('sha512-'.length) } : {}),
  }
}

export function licences(packages: Package[]): string {
  const parts = packages.map(own => [
    `${own.name} ${own.version}: ${own.licence}`,
    ...(own.texts.length ? own.texts : ['(the package brings no text of its licence)']),
  ])
  const postgresql = readFileSync(join(import.meta.dir, 'postgresql-licence.txt'), 'utf8').trim()
  parts.push(['PostgreSQL, inside @electric-sql/pglite: PostgreSQL', postgresql])
  return `Faultline contains the packages below, and Bun ${Bun.version} (MIT; what it is made of: ${BUN_LICENCES}).

${parts.map(part => `${'-'.repeat(78)}\n${part.join('\n\n')}\n`).join('\n')}`
}

/** A bill of materials in CycloneDX 1.6. */
export function billOfMaterials(packages: Package[], commit: string, madeAt: Date): object {
  const bun = { name: 'bun', version: Bun.version, licence: 'MIT', texts: [] }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: madeAt.toISOString(),
      component: {
        type: 'application',
        name: manifest.name,
        version: manifest.version,
        licenses: [{ license: { id: manifest.license } }],
        properties: [{ name: 'commit', value: commit }],
      },
    },
    components: [...packages, bun].map(component),
  }
}

function component({ name, version, licence, sha512 }: Package) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const isPlain = /^[\w.+-]+$/.test(licence)
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: isPlain ? [{ license: { id: licence } }] : [{ expression: licence }],
    ...(sha512
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] }
      : {}),
  }
}
