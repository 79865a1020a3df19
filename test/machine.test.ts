import { expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataDirForeign, refuseNetwork } from '../server/embedded/data-dir.ts'
import { networkOf, shortages } from '../server/machine.ts'

const NFS = 0x6969
const CIFS_WITH_A_SIGN = 0xff534d42 | 0
const [FUSE, NINE_P, MEMORY, EXT4] = [0x65735546, 0x01021997, 0x01021994, 0xef53]
const disk = (type: number, megabytes = 10_000) => ({ type, bavail: megabytes, bsize: 1_000_000 })

test('an embedded database does not live on a network file system, there already or to be made', () => {
  const seen: string[] = []
  const network = networkOf(join(tmpdir(), 'not/there/yet'), path => {
    seen.push(path)
    return disk(NFS)
  })
  expect([network, seen]).toEqual(['NFS', [tmpdir()]])
  expect(networkOf('/', () => disk(CIFS_WITH_A_SIGN))).toBe('CIFS')
  expect(networkOf('/', () => disk(EXT4))).toBeUndefined()
  expect(() => refuseNetwork('/data', 'NFS')).toThrow(DataDirForeign)
  expect(() => refuseNetwork(tmpdir())).not.toThrow()
})

test.each([
  ['little room', disk(EXT4, 900), '900 MB are left', false],
  ['next to none', disk(EXT4, 90), '90 MB are left', true],
  ['a disk of memory', disk(MEMORY), 'in memory', false],
  ['what may be of the network', disk(FUSE), 'FUSE', false],
  ['what may be of the host', disk(NINE_P), '9P', false],
])('%s is told with its mend', (_, found, said, grave) => {
  const [shortage] = shortages('/', () => found)
  expect(shortage).toMatchObject({
    said: expect.stringContaining(said),
    mend: expect.stringMatching(/DATA_DIR/),
  })
  expect(Boolean(shortage?.grave)).toBe(grave)
})

test('a disk with room is nothing to be told of', () => {
  expect(shortages('/', () => disk(EXT4))).toEqual([])
})
