import { expect, test } from 'bun:test'
import { brotliDecompressSync } from 'node:zlib'
import { boardFiles, send } from '../../server/http/files.ts'
import { until } from '../support/until.ts'

const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const picture = boardFiles({ svg, images: new Map() }).get('/board.svg')!
const asked = (encoding: string) =>
  send(new Request('http://localhost/', { headers: { 'accept-encoding': encoding } }), picture)

test('the smallest encoding that the browser accepts is sent', () => {
  for (const [accepted, sent] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br ; q=0.000 ,gzip ; q=0', null],
    ['identity', null],
    ['', null],
  ] as const) {
    expect([accepted, asked(accepted).headers.get('content-encoding')]).toEqual([accepted, sent])
  }
})

test('a header full of blanks costs nothing', () => {
  // What goes over them again and again would take minutes.
  expect(asked(`gzip${' '.repeat(500_000)}x`).headers.get('content-encoding')).toBeNull()
})

test('a large drawing is sent as it is until it is compressed', async () => {
  const large = `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(100_000)}</svg>`
  const file = boardFiles({ svg: large, images: new Map() }).get('/board.svg')!
  const ask = () =>
    send(new Request('http://localhost/', { headers: { 'accept-encoding': 'gzip, br' } }), file)
  const first = ask()
  expect([first.headers.get('content-encoding'), first.headers.get('vary')]).toEqual([
    null,
    'accept-encoding',
  ])
  expect(await first.text()).toBe(large)
  await until(() => ask().headers.get('content-encoding') === 'br')
  const later = ask()
  expect(later.headers.get('vary')).toBe('accept-encoding')
  expect(brotliDecompressSync(await later.bytes()).toString()).toBe(large)
  expect(later.headers.get('etag')).not.toBe(first.headers.get('etag'))
})
