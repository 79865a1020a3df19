import { existsSync } from 'node:fs'

/** What some tests need comes from Debian's packages where root runs them; elsewhere they say that they skip. */
export async function installMissing(programs: Record<string, string>): Promise<void> {
  const missing = Object.entries(programs).flatMap(([name, path]) => (existsSync(path) ? [] : [name]))
  if (!missing.length || process.getuid?.() !== 0 || !Bun.which('apt-get')) return
  console.log(`installing ${missing.join(', ')}`)
  for (const command of [['update'], ['install', '-y', '--no-install-recommends', ...missing]]) {
    const child = Bun.spawn(['apt-get', '-qq', ...command], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    })
    await child.exited
  }
}
