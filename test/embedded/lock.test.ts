import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataDirForeign, ownDirectory, refuseForeign, socketPathFor } from '../../server/embedded/data-dir.ts'
import { acquireLock, DataDirBusy } from '../../server/embedded/lock.ts'
import { findRunning } from '../../server/embedded/postgres.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'faultline-lock-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test('a holder is named from the start, and joined only once it serves', async () => {
  const lock = await acquireLock(dataDir, 0)
  const refused = await acquireLock(dataDir, 0).catch(error => error)
  expect(refused).toBeInstanceOf(DataDirBusy)
  expect(refused.message).toContain(`process ${process.pid}`)
  expect(findRunning(dataDir)).toBeUndefined()
  lock.announce('/somewhere/postgres.sock')
  expect(findRunning(dataDir)).toMatchObject({ pid: process.pid, socketPath: '/somewhere/postgres.sock' })
  lock.release()
  expect(findRunning(dataDir)).toBeUndefined()
})

test('a lock is not collected as garbage', async () => {
  await acquireLock(dataDir, 0)
  for (let i = 0; i < 3; i++) {
    Bun.gc(true)
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(acquireLock(dataDir, 0)).rejects.toThrow(DataDirBusy)
})

test('an announcement without its lock means nothing, whoever has the pid by now', async () => {
  writeFileSync(
    join(dataDir, 'holder.json'),
    JSON.stringify({ pid: process.pid, command: 'faultline serve', socketPath: '/x' }),
  )
  expect(findRunning(dataDir)).toBeUndefined()
  ;(await acquireLock(dataDir, 0)).release()
})

test('of several that start at once exactly one gets the lock, others looking on', async () => {
  let looking = true
  const onlooker = (async () => {
    while (looking) {
      findRunning(dataDir)
      await Bun.sleep(0)
    }
  })()
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(dataDir, 0)))
  looking = false
  await onlooker
  expect(tries.filter(attempt => attempt.status === 'fulfilled')).toHaveLength(1)
})

test('looking leaves nothing behind', () => {
  expect(findRunning(dataDir)).toBeUndefined()
  expect(readdirSync(dataDir)).toEqual([])
  expect(findRunning(join(dataDir, 'absent'))).toBeUndefined()
})

test('a directory of another PostgreSQL and one shared by all are not touched', () => {
  const foreign = join(dataDir, 'foreign')
  mkdirSync(foreign, { mode: 0o755 })
  writeFileSync(join(foreign, 'PG_VERSION'), '17\n')
  expect(() => refuseForeign(foreign)).toThrow(DataDirForeign)
  const shared = join(dataDir, 'shared')
  mkdirSync(shared)
  Bun.spawnSync(['chmod', '1777', shared])
  expect(() => ownDirectory(shared)).toThrow('shared by all users')
  expect(statSync(shared).mode & 0o7777).toBe(0o1777)
})

test('a long path gets a socket in a directory of ours; one that somebody else laid there is refused', () => {
  const long = join(dataDir, 'x'.repeat(100))
  const folder = join(socketPathFor(long), '..')
  try {
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    rmSync(folder, { recursive: true })
    symlinkSync(dataDir, folder)
    expect(() => socketPathFor(long)).toThrow(DataDirForeign)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
