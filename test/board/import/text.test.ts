import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadBoard, parseBoard } from '../../../server/board/board.ts'
import { drawing, faultsIn, faultsOf, SECTION } from '../../support/board.ts'

const folder = mkdtempSync(join(tmpdir(), 'board-text-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(bytes: Uint8Array): string {
  const path = join(folder, `${Bun.randomUUIDv7()}.svg`)
  writeFileSync(path, bytes)
  return path
}

const WORD = 'é Ж'
const said = (encoding: string) =>
  `<?xml version="1.0" encoding="${encoding}"?>${drawing(`${SECTION}<text>${WORD}</text>`)}`
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16()

describe('a drawing is read in its encoding', () => {
  const readable: [name: string, bytes: Uint8Array][] = [
    ['UTF-16, marked', utf16(`\ufeff${said('UTF-16')}`)],
    ['UTF-16 of the other order, marked', swapped(utf16(`\ufeff${said('UTF-16')}`))],
    ['UTF-16 without a mark', utf16(said('utf-16'))],
    ['UTF-16 of the other order without a mark', swapped(utf16(said('utf-16')))],
    ['UTF-8, marked, whatever it declares', Buffer.from(`\ufeff${said('windows-1251')}`)],
    ['UTF-8 that calls itself UTF-16', Buffer.from(said('utf-16'))],
    ['UTF-16 that calls itself UTF-8', utf16(`\ufeff${said('utf-8')}`)],
  ]
  test.each(readable)('%s', (_, bytes) => {
    expect(loadBoard(file(bytes)).svg).toContain(`<text>${WORD}</text>`)
  })

  test('windows-1251, as it declares', () => {
    const [before, after] = said('windows-1251').split(WORD) as [string, string]
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xc6]), Buffer.from(after)])
    expect(loadBoard(file(bytes)).svg).toContain('<text>Ж</text>')
  })

  const refused: [name: string, bytes: Uint8Array, fault: RegExp][] = [
    [
      'UTF-16 with half a pair',
      utf16(`\ufeff${drawing(`${SECTION}<text>\ud800</text>`)}`),
      /not utf-16le: save it/,
    ],
    [
      'UTF-16 cut in a character',
      utf16(`\ufeff${drawing(SECTION)}`).subarray(0, -1),
      /not utf-16le: save it/,
    ],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0]), /XML does not allow/],
    ['UTF-7', Buffer.from(said('utf-7')), /encoding utf-7 is not known here/],
    [
      'a script that only UTF-16 shows',
      utf16(`\ufeff${drawing(`${SECTION}<script/>`)}`),
      /<script>: a board runs no code/,
    ],
  ]
  test.each(refused)('%s is refused', (_, bytes, fault) => {
    expect(faultsIn(() => loadBoard(file(bytes)))).toContainEqual(expect.stringMatching(fault))
  })
})

const declared = (subset: string, content: string) =>
  `<!DOCTYPE svg [${subset}]>${drawing(SECTION + content)}`

describe('entities of the file itself', () => {
  test('are what they stand for, as Illustrator writes them', () => {
    const { svg } = parseBoard(
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://x/svg11.dtd" [
        <!ENTITY ns_svg "http://www.w3.org/2000/svg"><!ENTITY colour '#123'><!ENTITY twice "&colour;&#33;&colour;">
      ]><svg xmlns="&ns_svg;" viewBox="0 0 9 9">${SECTION}<text fill="&colour;">&twice;</text></svg>`,
    )
    expect(svg).toContain('<text fill="#123">#123!#123</text>')
  })

  test('stand for text alone, never for markup', () => {
    expect(parseBoard(declared('<!ENTITY x "&lt;script/&gt;">', '<text>&x;</text>')).svg).toContain(
      '<text>&lt;script/&gt;</text>',
    )
  })

  const laughs = [
    '<!ENTITY l0 "ha">',
    ...Array.from({ length: 30 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`),
  ].join('')
  const refused: [name: string, subset: string, content: string, fault: RegExp][] = [
    [
      'that read files',
      '<!ENTITY x SYSTEM "file:///etc/passwd">',
      '<text>&x;</text>',
      /&x; refers outside the file/,
    ],
    ['that read addresses', '<!ENTITY x PUBLIC "x" "http://x/">', '', /&x; refers outside the file/],
    ['that hold elements', '<!ENTITY x "<script/>">', '<text>&x;</text>', /&x; holds elements/],
    ['that hide elements', '<!ENTITY x "&#60;script/>">', '<text>&x;</text>', /&x; holds elements/],
    ['of the declaration', '<!ENTITY % x "y"> %x;', '', /declares parts of itself/],
    ['that multiply', laughs, '<text>&l30;</text>', /grow without end/],
    ['that multiply out of nothing', laughs.replace('"ha"', '""'), '<text>&l9;</text>', /grow without end/],
    [
      'that stand for themselves',
      '<!ENTITY a "&b;"><!ENTITY b "&a;">',
      '<text>&a;</text>',
      /grow without end/,
    ],
    [
      'that are used without end',
      `<!ENTITY a "${'x'.repeat(1000)}">`,
      `<text>${'&a;'.repeat(1000)}</text>`,
      /grow without end/,
    ],
    ['that nobody declared', '<!ENTITY a "b">', '<text>&c;</text>', /&c; is not known/],
    [
      'named like what every object has',
      '',
      '<text>&constructor;&__proto__;</text>',
      /&constructor; is not known/,
    ],
  ]
  test.each(refused)('%s are refused', (_, subset, content, fault) => {
    expect(faultsOf(declared(subset, content))).toContainEqual(expect.stringMatching(fault))
  })
})
