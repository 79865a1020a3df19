import { expect, test } from 'bun:test'
import { boardFiles, send } from '../../server/http/files.ts'

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
