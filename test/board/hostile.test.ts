import { describe, expect, test } from 'bun:test'
import { BoardFaults, parseBoard } from '../../server/board/board.ts'
import { drawing as board, faultsOf, SECTION, XHTML } from '../support/board.ts'
import { randomness } from '../support/random.ts'

describe('hostile input', () => {
  const MiB = 1_000_000
  const inflated: [name: string, svg: string][] = [
    ['many elements', board(SECTION + '<g/>'.repeat(MiB / 4))],
    [
      'many attributes',
      board(`${SECTION}<g ${Array.from({ length: 70_000 }, (_, i) => `a${i}=""`).join(' ')}/>`),
    ],
    ['many namespaces', board(SECTION + '<a:g xmlns:a="u"/>'.repeat(50_000))],
    ['many entities', board(`${SECTION}<text>${'&amp;'.repeat(MiB / 5)}</text>`)],
    ['many bare &', board(`${SECTION}<text>${'&'.repeat(MiB)}</text>`)],
    ['many "<"', `<svg>${'<'.repeat(MiB)}`],
    ['many open comments', board('<!--'.repeat(MiB / 4))],
    ['many spaces in a tag', `<svg${' '.repeat(MiB)}`],
    ['many spaces in an end tag', `<svg></svg${' '.repeat(MiB)}x>`],
    ['one long name', `<${'a'.repeat(MiB)}`],
    ['one long path', board(`${SECTION}<path d="${'M'.repeat(MiB)}"/>`)],
    ['one long value of brackets', board(`${SECTION}<path d="${'a('.repeat(MiB / 2)}"/>`)],
    ['one long value of url(', board(`${SECTION}<path fill="${'url( '.repeat(MiB / 5)}"/>`)],
    ['one long style of brackets', board(`${SECTION}<path style="${'('.repeat(MiB)}"/>`)],
    ['one long style of semicolons', board(`${SECTION}<path style="${'a:b;'.repeat(MiB / 4)}"/>`)],
    ['one long style of exclamations', board(`${SECTION}<path style="fill:${'! '.repeat(MiB / 2)}"/>`)],
    ['one long label', board(`<g data-section="a" data-label="${' x'.repeat(MiB / 2)}"/>`)],
    ['one long viewBox', board(SECTION, `viewBox="${' ,'.repeat(MiB / 2)}"`)],
    ['one long class', board(`${SECTION}<g class="${'ink '.repeat(MiB / 4)}"/>`)],
    ['a DOCTYPE without end', `<!DOCTYPE svg [${']'.repeat(MiB)}`],
    ['deep nesting', board('<g>'.repeat(MiB / 3))],
    [
      'a chain of uses',
      board(
        SECTION + Array.from({ length: 25_000 }, (_, i) => `<use id="u${i + 1}" href="#u${i}"/>`).join(''),
      ),
    ],
  ]
  test.each(inflated)('is judged before anybody loses patience: %s', (_, svg) => {
    expect(() => faultsOf(svg)).not.toThrow()
  })

  test('mutated at random, is refused with faults or accepted for good', () => {
    const random = randomness(20_261_121)
    const seed = board(`<style>.a, #a > rect { fill: red; stroke: url(#a) !important }</style>${SECTION}
      <defs><g id="a" style="fill:red;x:1"><title>T</title></g></defs><a href="#a"><use xlink:href="#a" fill="url(#a)" class="ink a"/></a>
      <text>A &amp; B<tspan x="1">c</tspan></text><!-- c --><image href="data:image/gif;base64,AA"/>
      <switch><foreignObject width="9"><p xmlns="${XHTML}" style="color:red">p</p></foreignObject></switch>`)
    const pieces = [
      '<',
      '>',
      '"',
      "'",
      '&',
      '/',
      '=',
      ' ',
      ':',
      ';',
      '(',
      ')',
      '#',
      '!--',
      ']]>',
      '<?x?>',
      '\0',
      '\ud800',
    ]
    const words = [
      'onload="x"',
      '<script>',
      '</g>',
      '<g>',
      'xmlns=""',
      'href="http://x"',
      '&lt;',
      'id="b"',
      '<title/>',
      '@import "x";',
      'url(http://x)',
      '{',
      '}',
      '\\75rl(',
      'var(--a)',
    ]
    let accepted = 0
    for (let round = 0; round < 4000; round++) {
      const text = mutate(seed, random, [...pieces, ...words])
      const first = tryBoard(text)
      if (!first) continue
      accepted++
      const drawn = first.svg.replace(/>[^<]*</g, '><').replace(/ data-label="[^"]*"/g, '')
      expect(drawn).not.toMatch(/<script|<style|\s(on\w+|style|src)="|href="(?!#)|url\((?!#)/i)
      const second = parseBoard(first.svg)
      expect(second.svg).toBe(first.svg)
      expect([...second.sections]).toEqual([...first.sections])
    }
    expect(accepted).toBeGreaterThan(100)
  })
})

function tryBoard(text: string) {
  try {
    return parseBoard(text)
  } catch (error) {
    expect(error).toBeInstanceOf(BoardFaults)
    expect((error as BoardFaults).faults.length).toBeGreaterThan(0)
    return undefined
  }
}

function mutate(text: string, random: (below: number) => number, pieces: string[]): string {
  let mutated = text
  for (let times = 1 + random(3); times > 0; times--) {
    const at = random(mutated.length)
    const length = random(2) ? 0 : random(4)
    const piece = random(10) < 3 ? '' : pieces[random(pieces.length)]!
    mutated = mutated.slice(0, at) + piece + mutated.slice(at + length)
  }
  return mutated
}
