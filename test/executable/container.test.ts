import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'
import { createSessions } from '../../server/auth/session.ts'
import { readConfig } from '../../server/config/read.ts'
import { ALICE } from '../support/app.ts'
import { healthy } from '../support/health.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/**
 * The image without a daemon: its files by the Dockerfile's own commands, a root that only reads, its user and
 * command, and of the machine what every runtime mounts: /proc, a bare /dev, the volume.
 */
const root = join(import.meta.dir, '../..')
const lines = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replace(/\\\n\s*/g, '')
  .split('\n')
const last = (word: string) => lines.findLast(line => line.startsWith(`${word} `))!.slice(word.length + 1)
const settings = Object.fromEntries(
  last('ENV')
    .split(' ')
    .map(pair => pair.split('=') as [string, string]),
)
const [uid, gid] = last('USER').split(':')
const command = [...JSON.parse(last('ENTRYPOINT')), ...JSON.parse(last('CMD'))] as string[]
const healthcheck = JSON.parse(last('HEALTHCHECK').replace(/^.*? CMD /, '')) as string[]

const RUNTIME = `
  mount --bind "$IMAGE" "$IMAGE"
  mount -o remount,bind,ro "$IMAGE"
  mount --bind "$VOLUME" "$IMAGE/data"
  mount -t proc -o nosuid,nodev,noexec proc "$IMAGE/proc"
  mount -t tmpfs -o nosuid,noexec,size=64k,mode=755 tmpfs "$IMAGE/dev"
  mknod -m 666 "$IMAGE/dev/null" c 1 3
  mknod -m 666 "$IMAGE/dev/urandom" c 1 9
  exec setpriv --no-new-privs chroot --groups= --userspec="$USER" "$IMAGE" "$@"`

const programs = ['unshare', 'nsenter', 'chroot', 'setpriv', 'ldd'].every(name => Bun.which(name))
const able = Boolean(process.env.FAULTLINE_LONG) && process.getuid?.() === 0 && programs

describe.skipIf(!able)('the image (needs test:long, root and unshare)', () => {
  let home: string
  let env: Record<string, string>
  let container: Bun.Subprocess
  let pid: string
  beforeAll(async () => {
    home = mkdtempSync('/tmp/faultline-image-')
    const assemble = last('RUN').replace(/\/(image|volume)\b/g, `${home}/$1`)
    await $`sh -ec ${assemble}`.cwd(root)
    // Runtimes make what they mount upon.
    for (const folder of ['proc', 'dev', 'data', 'etc']) mkdirSync(join(home, 'image', folder))
    writeFileSync(join(home, 'image/etc/hosts'), '127.0.0.1 localhost\n')
    const PORT = String(await freePort())
    env = {
      ...settings,
      PORT,
      PUBLIC_URL: `http://localhost:${PORT}`,
      ALLOWED_DOMAIN: 'example.com',
      OWNER_EMAIL: 'owner@example.com',
      LOG_LEVEL: 'warn',
      SESSION_PASSWORD: 'a test password of enough different characters',
      OAUTH_CLIENT_ID: 'faultline',
      OAUTH_CLIENT_SECRET: 'secret',
    }
    await start()
  })
  afterAll(async () => {
    if (pid) process.kill(Number(pid), 'SIGKILL')
    await container?.exited
    rmSync(home, { recursive: true })
  })

  async function start() {
    container = Bun.spawn(['unshare', '--mount', '--pid', '--fork', 'sh', '-ec', RUNTIME, 'sh', ...command], {
      env: {
        ...env,
        PATH: process.env.PATH,
        ...{ IMAGE: join(home, 'image'), VOLUME: join(home, 'volume'), USER: `${uid}:${gid}` },
      },
      stdout: 'ignore',
      stderr: 'inherit',
    })
    const child = () => readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, 'utf8').trim()
    await until(() => child() !== '', 'its first process is there')
    pid = child()
    await healthy(env.PUBLIC_URL!)
  }

  /** As `docker exec` does. */
  const inside = async (...asked: string[]) =>
    (
      await $`nsenter --target ${pid} --mount --pid --root --wd --setuid ${uid!} --setgid ${gid!} ${asked}`
        .env(env)
        .text()
    ).trim()

  test('holds the executable, the C library, and nothing that could be a shell', () => {
    const files = readdirSync(join(home, 'image'), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !entry.parentPath.endsWith('/etc'))
      .map(({ name }) => name)
    expect(files).toContain('faultline')
    expect(
      files.filter(name => name !== 'faultline' && !/^(ld-linux|lib(c|m|dl|pthread)\.so)/.test(name)),
    ).toEqual([])
  })

  test('runs as its own user, without rights, as the first process of all', async () => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const of = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(status)?.[1]
    expect(of('Uid')).toBe([uid, uid, uid, uid].join('\t'))
    expect(of('Groups')?.trim()).toBe('')
    expect([of('CapEff'), of('NoNewPrivs'), of('NSpid')?.split('\t').at(-1)]).toEqual([
      '0000000000000000',
      '1',
      '1',
    ])
  })

  test('is healthy, shows the page for signing in, and files a defect that the command line counts', async () => {
    expect(await inside(...healthcheck, '--ready')).toBe('ok')
    const page = await fetch(`${env.PUBLIC_URL}/login`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/auth/google')])
    const [cookie = ''] = (await createSessions(readConfig(env)).begin(ALICE)).split(';', 1)
    const post = async (path: string, body: object) => {
      const headers = { cookie, 'content-type': 'application/json' }
      const answer = await fetch(env.PUBLIC_URL + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      expect(answer.status).toBe(201)
      return answer.json() as Promise<{ id: string }>
    }
    const { id: project_id } = await post('/api/projects', { name: 'In a container' })
    await post('/api/defects', { section_id: 'cpu', project_id, verbatim: 'no shell to look around with' })
    expect(JSON.parse(await inside(command[0]!, 'counts', '--json'))).toMatchObject({ cpu: 1 })
  })

  test('stops in order when it is told, and finds its data again', async () => {
    process.kill(Number(pid), 'SIGTERM')
    expect(await container.exited).toBe(0)
    await start()
    expect(JSON.parse(await inside(command[0]!, 'counts', '--json'))).toMatchObject({ cpu: 1 })
  })
})
