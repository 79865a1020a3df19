/**
 * Everything that a release hands out, in `dist/release`: an archive for each target with the licences, the
 * completions and the manual page, a bill of materials, and the sums of all. Two runs on one commit make the same bytes.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'
import { name, version } from '../package.json'
import { commit, compile, root } from './compile.ts'
import { billOfMaterials, licences, packagesInside } from './inventory.ts'

export const targets = [
  'linux-x64',
  'linux-x64-baseline',
  'linux-arm64',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-arm64',
  'darwin-x64',
]
export const titleOf = (target: string) => `${name}-${version}-${target}`

/** What lies beside the executable in every archive, by its path there. */
const GENERATED = {
  'completion/faultline.bash': ['completion', 'bash'],
  'completion/_faultline': ['completion', 'zsh'],
  'completion/faultline.fish': ['completion', 'fish'],
  'man/faultline.1': ['help', '--man'],
}

export async function release(folder: string, chosen: string[] = targets): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const work = join(folder, 'work')
  mkdirSync(work, { recursive: true })
  const packages = await packagesInside()
  const madeAt = await commitTime()
  const shared = await sharedFiles(packages)
  for (const target of chosen) {
    const inside = join(work, titleOf(target))
    for (const [path, content] of Object.entries(shared)) await Bun.write(join(inside, path), content)
    await compile(join(inside, name), target)
    await archive(work, titleOf(target), join(folder, `${titleOf(target)}.tar.gz`), madeAt)
    rmSync(inside, { recursive: true })
  }
  rmSync(work, { recursive: true })
  const bill = billOfMaterials(packages, await commit(), madeAt)
  await Bun.write(join(folder, `${name}-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`)
  await $`sha256sum ${readdirSync(folder).sort()} > SHA256SUMS`.cwd(folder)
}

async function sharedFiles(packages: Parameters<typeof licences>[0]): Promise<Record<string, string | Blob>> {
  const generated = Object.entries(GENERATED).map(async ([path, command]) => {
    return [path, await $`${process.execPath} cli/main.ts ${command}`.cwd(root).text()] as const
  })
  return {
    LICENSE: Bun.file(join(root, 'LICENSE')),
    'CHANGELOG.md': Bun.file(join(root, 'CHANGELOG.md')),
    'THIRD-PARTY-LICENCES.txt': licences(packages),
    ...Object.fromEntries(await Promise.all(generated)),
  }
}

async function commitTime(): Promise<Date> {
  const seconds = await $`git log -1 --format=%ct`.cwd(root).text()
  return new Date(Number(seconds) * 1000)
}

/** In a fixed order, of nobody, at the time of the commit; needs GNU tar. */
async function archive(folder: string, title: string, file: string, madeAt: Date): Promise<void> {
  const fixed = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
  await $`tar ${fixed} --mtime=${`@${madeAt.getTime() / 1000}`} -cf - ${title} | gzip -n > ${file}`.cwd(
    folder,
  )
}

if (import.meta.main) {
  await release(join(root, 'dist/release'))
  console.log(await Bun.file(join(root, 'dist/release/SHA256SUMS')).text())
}
