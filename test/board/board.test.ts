import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadBoard, parseBoard } from '../../server/board/board.ts'
import { FileFault } from '../../server/file-fault.ts'
import { drawing as board, faultsIn, MOST, SECTION } from '../support/board.ts'

const folder = mkdtempSync(join(tmpdir(), 'board-'))
afterAll(() => rmSync(folder, { recursive: true }))

const faultsOfFile = (path: string) => faultsIn(() => loadBoard(path))

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('the built-in board', () => {
  const { svg, sections } = loadBoard()

  test('has at least twelve sections, the well-known ones among them', () => {
    expect(sections.size).toBeGreaterThanOrEqual(12)
    for (const id of ['usb-port', 'power-jack', 'cpu', 'ethernet']) expect(sections.has(id)).toBe(true)
    expect(sections.get('usb-port')).toEqual({ id: 'usb-port', label: 'USB port' })
  })

  test('gives each section its touch area as the first thing in it', () => {
    const groups = svg.match(/<g data-section="[^"]*" data-label="[^"]*"><\w+ class="section-area"/g)
    expect(groups).toHaveLength(sections.size)
  })

  test('is served as it stands when it is read again', () => {
    expect(parseBoard(svg).svg).toBe(svg)
  })
})

describe('a board is accepted', () => {
  test('with its sections in the order of the drawing', () => {
    const { sections } = parseBoard(
      board('<g data-section="b" data-label="B"/><g data-section="a" data-label="A"/>'),
    )
    expect([...sections.keys()]).toEqual(['b', 'a'])
  })

  test.each(['g', 'rect', 'circle', 'ellipse', 'path', 'line', 'polyline', 'polygon', 'use', 'text', 'svg'])(
    'when a <%s> is the section',
    name => {
      const { sections } = parseBoard(board(`<${name} data-section="a" data-label="A"/>`))
      expect(sections.get('a')?.label).toBe('A')
    },
  )

  test('with the label from data-label, else aria-label, else the title', () => {
    const { svg, sections } = parseBoard(
      board(`<g data-section="a" data-label=" One " aria-label="Two"><title>Three</title></g>
             <g data-section="b" aria-label="Two"><title>Three</title></g>
             <g data-section="c" data-label=" "><title>Three
               lines</title></g>
             <g data-section="d"><title><![CDATA[R&D]]> &lt;4&gt;</title></g>`),
    )
    expect([...sections.values()].map(section => section.label)).toEqual([
      'One',
      'Two',
      'Three lines',
      'R&D <4>',
    ])
    expect(svg).not.toContain('aria-label')
    expect(svg).not.toContain('<title')
    expect(svg).toContain('data-section="d" data-label="R&amp;D &lt;4&gt;"')
  })

  test('with an id of 1 and of 40 characters and a label of 80', () => {
    const id = 'a-0'.padEnd(40, 'z')
    const label = '😀'.repeat(80)
    const { sections } = parseBoard(
      board(`<g data-section="a" data-label="x"/><g data-section="${id}" data-label="${label}"/>`),
    )
    expect(sections.get(id)?.label).toBe(label)
  })

  test('without a viewBox, which then comes from width and height', () => {
    expect(parseBoard(board(SECTION, 'width="200" height="100px"')).svg).toContain('viewBox="0 0 200 100"')
    expect(parseBoard(board(SECTION, 'width="25.4mm" height="1in"')).svg).toContain('viewBox="0 0 96 96"')
    const both = parseBoard(board(SECTION, 'width="100%" height="50%" viewBox=" 0,0 ,40 30 "')).svg
    expect(both).toContain('viewBox="0 0 40 30"')
    expect(/<svg[^>]*>/.exec(both)![0]).not.toMatch(/ (width|height)=/)
  })

  test('without the SVG namespace, which then is written in', () => {
    const { svg } = parseBoard('<svg viewBox="0 0 9 9"><g data-section="a" data-label="A"/></svg>')
    expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">')
  })

  test('with elements under a prefix, which then is gone', () => {
    const { svg } = parseBoard(
      '<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><s:g data-section="a" data-label="A"/></s:svg>',
    )
    expect(svg).toEndWith('<g data-section="a" data-label="A"/></svg>')
  })

  test('with an XML declaration, a byte order mark, CRLF, comments and a plain DOCTYPE', () => {
    const { svg } = parseBoard(
      `\ufeff<?xml version="1.0" encoding="UTF-8" standalone="no"?>\r\n<!-- Created by a drawing program -->\r\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\r\n${board(SECTION)}\r\n<!-- end -->`,
    )
    expect(svg).not.toMatch(/<[!?]/)
  })

  test('as Inkscape saves it: style attributes become attributes, its notes are left out', () => {
    const { svg } = parseBoard(
      board(`<sodipodi:namedview id="v" pagecolor="#fff"><inkscape:grid onload="x"/></sodipodi:namedview>
        <metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:li onclick="x"/></rdf:RDF></metadata>
        <g inkscape:label="Layer 1" inkscape:groupmode="layer" data-section="a" data-label="A">
          <path sodipodi:nodetypes="cc" d="M0 0h9" fill="red"
            style="fill:none;stroke:#000;stroke-width:0.26458332px;-inkscape-stroke:none;line-height:1.25;mix-blend-mode:normal;font-family:'A;B';stroke-opacity:1 !important"/>
        </g>`),
    )
    expect(svg).toContain(
      '<path d="M0 0h9" fill="none" stroke="#000" stroke-width="0.26458332px" font-family="\'A;B\'" stroke-opacity="1"/>',
    )
    expect(svg).not.toMatch(/inkscape|sodipodi|rdf|style|onload|onclick/)
  })

  test('with the style winning over the attribute, whichever comes first', () => {
    const { svg } = parseBoard(board(`${SECTION}<rect style="fill:none" fill="red"/>`))
    expect(svg).toContain('<rect fill="none"/>')
  })

  test('with references into itself, whose ids cannot meet an id of the page', () => {
    const { svg } = parseBoard(
      board(`<defs><linearGradient id="app" xlink:href="#other"/><g id="shape"/></defs>${SECTION}
        <use xlink:href="#shape" fill="url(#app)"/><rect style="fill:url('#app') red"/>`),
    )
    expect(svg).toContain('<linearGradient id="board-app" href="#board-other"/>')
    expect(svg).toContain('<use href="#board-shape" fill="url(#board-app)"/>')
    expect(svg).toContain('<rect fill="url(#board-app) red"/>')
  })

  test('with classes of the board alone, and no attribute that steers the page', () => {
    const { svg } = parseBoard(
      board(
        `${SECTION}<rect class="button section-area cls-1 ink" role="button" tabindex="3" data-x="1" contenteditable="" xml:base="http://x/" class2="y"/>`,
      ),
    )
    expect(svg).toContain('<rect class="section-area ink"/>')
  })

  test('with its words kept to the letter and everything else that people do not see left out', () => {
    const { svg } = parseBoard(
      board(`${SECTION}  loose  <text xml:space="preserve">A &amp; B &lt;script&gt; &#x1F600;&#13;
<tspan>C</tspan> <![CDATA[<b>]]>&#100;</text>`),
    )
    expect(svg).toEndWith(
      '<text xml:space="preserve">A &amp; B &lt;script&gt; 😀&#13;\n<tspan>C</tspan> &lt;b&gt;d</text></svg>',
    )
    expect(svg).not.toContain('loose')
  })

  test('when its attributes hold quotes and line ends, which stay one value', () => {
    const { svg } = parseBoard(board(`${SECTION}<text font-family='"A"&#10;&gt;'>x</text>`))
    expect(svg).toContain('<text font-family="&quot;A&quot;&#10;&gt;">x</text>')
  })
})

describe('a board file', () => {
  test('is read as the board', () => {
    expect(loadBoard(file('good.svg', board(SECTION))).sections.size).toBe(1)
  })

  const gzip = Bun.gzipSync(Buffer.from(board(SECTION)))
  const latin = Buffer.from(board(`${SECTION}<text>é</text>`), 'latin1')
  const refused: [name: string, path: () => string, fault: RegExp][] = [
    ['that is compressed', () => file('z.svgz', gzip), /compressed \(\.svgz\): save it as plain SVG/],
    ['in Latin-1 that says nothing', () => file('latin.svg', latin), /not utf-8: save it as UTF-8/],
    ['over 4 MiB', () => file('big.svg', ' '.repeat(MOST + 1)), /larger than 4 MiB/],
  ]
  test.each(refused)('%s is refused', (_, path, fault) => {
    expect(faultsOfFile(path())).toEqual([expect.stringMatching(fault)])
  })

  test.each([
    ['that is not there', join(folder, 'none.svg'), /none\.svg cannot be read \(ENOENT\)/],
    ['below a file', join(import.meta.path, 'none.svg'), /none\.svg cannot be read \(ENOTDIR\)/],
    ['that is a directory', folder, /cannot be read because it is a folder or a device/],
    ['that never ends', '/dev/zero', /cannot be read because it is a folder or a device/],
  ])('%s is a fault of the file, which is named', (_, path, said) => {
    expect(() => loadBoard(path)).toThrow(FileFault)
    expect(() => loadBoard(path)).toThrow(said)
  })

  test('is refused with the whole list in the message', () => {
    expect(() => loadBoard(file('bad.svg', board('<script/>')))).toThrow(
      /The board cannot be used:\n {2}line 1: .*\n {2}line 1: /,
    )
  })
})
