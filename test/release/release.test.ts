import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { dependencies, version } from '../../package.json'
import { compile } from '../../release/compile.ts'
import { billOfMaterials, licences, packagesInside } from '../../release/inventory.ts'
import { release, targets, titleOf } from '../../release/release.ts'

const packages = await packagesInside()

test('the bill of materials has every package that is compiled in, with its sum and licence', () => {
  const bill = billOfMaterials(packages, 'abc', new Date(0)) as { components: Record<string, unknown>[] }
  const named = bill.components.map(({ name }) => name)
  expect(named).toEqual(expect.arrayContaining([...Object.keys(dependencies), 'svelte', 'bun']))
  expect(named).not.toContain('vite')
  for (const component of bill.components.filter(({ name }) => name !== 'bun')) {
    expect(component).toMatchObject({
      purl: expect.stringMatching(/^pkg:npm\/(%40[\w-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/),
      licenses: [{ license: { id: expect.stringMatching(/^[\w.-]+$/) } }],
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    })
  }
})

test('the licences of all of them travel along', () => {
  const text = licences(packages)
  for (const { name, version: own } of packages) expect(text).toContain(`\n${name} ${own}: `)
  expect(text).toContain('PostgreSQL Global Development Group')
})

test('an executable built twice is the same bytes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-release-'))
  const sums = ['a', 'b'].map(async name => {
    // The name of the file is in it, its folder is not.
    const outfile = join(folder, name, 'faultline')
    mkdirSync(join(folder, name))
    await compile(outfile)
    return new Bun.CryptoHasher('sha256').update(await Bun.file(outfile).bytes()).digest('hex')
  })
  const [a, b] = await Promise.all(sums)
  rmSync(folder, { recursive: true })
  expect(a).toBe(b!)
})

const RUNNERS: Record<string, { needs: string; command: string[] }> = {
  'linux-x64': { needs: '/lib64/ld-linux-x86-64.so.2', command: [] },
  'linux-x64-baseline': { needs: '/lib64/ld-linux-x86-64.so.2', command: [] },
  // Alpine has it; Debian's musl comes without a C++ library.
  'linux-x64-musl': { needs: '/usr/lib/libstdc++.so.6', command: [] },
  'linux-arm64': {
    needs: '/usr/aarch64-linux-gnu/lib/libstdc++.so.6',
    command: ['qemu-aarch64-static', '-L', '/usr/aarch64-linux-gnu'],
  },
}

test.skipIf(!process.env.FAULTLINE_LONG)(
  'a release has what it promises, and starts where it can here',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'faultline-release-'))
    await release(folder)
    expect(readdirSync(folder).sort()).toEqual(
      [
        'SHA256SUMS',
        `faultline-${version}.cdx.json`,
        ...targets.map(target => `${titleOf(target)}.tar.gz`),
      ].sort(),
    )
    await $`sha256sum --check --quiet SHA256SUMS`.cwd(folder)
    for (const target of targets) {
      await $`tar xzf ${titleOf(target)}.tar.gz`.cwd(folder)
      const inside = join(folder, titleOf(target))
      expect(readdirSync(inside, { recursive: true })).toEqual(
        expect.arrayContaining(['faultline', 'LICENSE', 'THIRD-PARTY-LICENCES.txt', 'man/faultline.1']),
      )
      const runner = RUNNERS[target]
      if (!runner || !existsSync(runner.needs)) {
        console.log(`${target}: built, not run: this machine has nothing that runs it`)
        continue
      }
      const told = await $`${runner.command} ${join(inside, 'faultline')} version --json`.json()
      expect(told).toMatchObject({ version, target })
    }
    rmSync(folder, { recursive: true })
  },
)
