import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { $ } from 'bun'
import { home } from '../support/cli.ts'
import { freePort } from '../support/postgres.ts'

const page = readFileSync(join(import.meta.dir, '../../docs/operations/README.md'), 'utf8')
const place = home()
afterAll(() => place.remove())

/** The page's files, by the path that stands above each. */
const files = new Map(
  [...page.matchAll(/^`(\/etc\/[^`]+)`[^\n]*:\n\n```\w+\n(.*?)^```$/gms)].map(
    ([, path, text]) => [basename(path!), text!] as const,
  ),
)

test('the page has a proxy, a backup and its timer', () => {
  expect([...files.keys()]).toEqual(['faultline.conf', 'faultline-backup.service', 'faultline-backup.timer'])
})

const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })
test.skipIf(!nginx)('nginx takes the block of the page (needs nginx)', async () => {
  const [plain, secure] = [await freePort(), await freePort()]
  // A certificate is not at hand, nor are the ports.
  const block = files
    .get('faultline.conf')!
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${secure};`)
    .replace(/^ *ssl_certificate.*\n/gm, '')
  mkdirSync(place.file('temp'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${place.file('temp')}/${name};`,
  )
  const log = `error_log ${place.file('error.log')};`
  await Bun.write(
    place.file('nginx.conf'),
    `pid ${place.file('pid')}; ${log} events {} http { access_log off; ${temporary.join(' ')} ${block} }`,
  )
  const told = await $`${nginx} -t -c ${place.file('nginx.conf')}`.nothrow().quiet()
  expect([told.exitCode, told.stderr.toString()]).toEqual([0, expect.stringContaining('test is successful')])
})

const analyze = Bun.which('systemd-analyze')
test.skipIf(!analyze)('systemd takes the units of the page (needs systemd-analyze)', async () => {
  const units = ['faultline-backup.service', 'faultline-backup.timer']
  for (const name of units) await Bun.write(place.file(name), files.get(name)!)
  const told = await $`${analyze} verify ${units.map(place.file)}`.nothrow().quiet()
  const ofOurs = told.stderr
    .toString()
    .split('\n')
    .filter(line => line.includes('faultline'))
  expect([told.exitCode, ofOurs]).toEqual([0, []])
})
