import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BoardFaults, loadBoard, parseBoard } from '../../server/board/board.ts'
import { FileFault } from '../../server/file-fault.ts'
import { drawing as board, faultsBeside, faultsIn, faultsOf, SECTION, XHTML } from '../support/board.ts'

const folder = mkdtempSync(join(tmpdir(), 'board-'))
afterAll(() => rmSync(folder, { recursive: true }))

const MOST = 4 * 1024 * 1024
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

describe('a board is refused', () => {
  const refusals: [name: string, content: string, fault: RegExp][] = [
    ['a script', '<script>alert(1)</script>', /^line 1: <script>: .*remove it$/],
    ['a script under a prefix', '<s:script xmlns:s="http://www.w3.org/2000/svg"/>', /<script>/],
    [
      'an HTML element',
      '<iframe xmlns="http://www.w3.org/1999/xhtml"/>',
      /<iframe>: it would load something/,
    ],
    ['an iframe', '<iframe/>', /<iframe>: it would load something/],
    ['an event attribute', '<rect onclick="x()"/>', /<rect> onclick: a board runs no code/],
    ['an event attribute in capitals', '<rect ONLOAD="x()"/>', /ONLOAD: a board runs no code/],
    [
      'a script in HTML',
      `<foreignObject><p xmlns="${XHTML}"><script/></p></foreignObject>`,
      /<script>: .*no code/,
    ],
    [
      'an event in HTML',
      `<foreignObject><p xmlns="${XHTML}" onclick="x"/></foreignObject>`,
      /<p> onclick: .*no code/,
    ],
    [
      'a picture of elsewhere in HTML',
      `<foreignObject><img xmlns="${XHTML}" src="//x/y.png"/></foreignObject>`,
      /<img> src: refers outside/,
    ],
    ['an event of what is not drawn', '<unknown onload="x"/>', /<unknown> onload: .*no code/],
    [
      'a script in a branch that is not shown',
      '<switch><g/><g><script/></g></switch>',
      /<script>: .*no code/,
    ],
    ['a picture of elsewhere', '<image href="photo.png"/>', /<image> href: refers outside the file: embed/],
    ['a picture of our own', '<image href="/board/images/0"/>', /<image> href: refers outside the file/],
    [
      'a picture of elsewhere in a filter',
      '<filter><feImage xlink:href="http://x/y.png"/></filter>',
      /<feImage> href: refers outside/,
    ],
    ['an animation of a link', '<set attributeName="href" to="javascript:x"/>', /<set>: a board holds still/],
    ['an animation', '<animate attributeName="onclick"/>', /<animate>: a board holds still/],
    ['a handler', '<handler/>', /<handler>: a board runs no code/],
    ['an outside use', '<use href="other.svg#x"/>', /<use> href: refers outside the file: only "#id"/],
    ['an outside xlink:href', '<use xlink:href="http://x/#a"/>', /<use> href: refers outside the file/],
    ['a javascript: reference', '<use href=" javascript:x"/>', /refers outside the file/],
    ['a data: reference', '<use href="data:image/svg+xml,x#a"/>', /refers outside the file/],
    ['src', '<rect src="x"/>', /<rect> src: refers outside the file/],
    ['an outside paint', '<rect fill="url(http://x/#a)"/>', /fill: refers outside the file: only url\(#id\)/],
    ['an outside paint in quotes', `<rect fill="URL( 'x.svg#a' )"/>`, /fill: refers outside the file/],
    [
      'an outside paint among inner ones',
      '<rect filter="url(#a) url(b)"/>',
      /filter: refers outside the file/,
    ],
    ['an outside paint by style', '<rect style="fill:url(//x)"/>', /fill: refers outside the file/],
    ['an escaped url', '<rect fill="\\75rl(http://x)"/>', /escapes, comments and @import are not read/],
    ['an image function', '<rect fill="image-set(\'x\' 1x)"/>', /image-set\(…\) is not possible here/],
    ['@import', '<rect style="fill:@import x"/>', /@import are not read/],
    [
      'a processing instruction',
      '<?xml-stylesheet href="x.css"?>',
      /<\?xml-stylesheet…\?> refers outside the file: remove it/,
    ],
    ['an unknown entity', '<text>&nbsp;</text>', /&nbsp; is not known: write the character itself/],
    ['a bare &', '<text>R&D</text>', /"&" by itself: write "&amp;"/],
    ['a character that XML forbids', '<text>&#0;</text>', /a reference .* to no character of XML/],
    ['half a surrogate pair', '<text>\ud800</text>', /a character that XML does not allow/],
    ['an undeclared prefix', '<rect foo:bar="1"/>', /prefix "foo" is not declared/],
    ['an attribute twice', '<rect x="1" x="2"/>', /attribute x twice: keep one/],
    ['an unclosed element', '<g>', /line 1: <g> is never closed/],
    ['an attribute without quotes', '<g x=1/>', /<g> is not well-formed here/],
    ['"<" in an attribute', '<g x="<"/>', /<g> is not well-formed here/],
    ['a lone "<"', '<text>1 < 2</text>', /"<" begins no tag: write "&lt;"/],
    ['"--" in a comment', '<!-- a -- b -->', /"--" inside a comment/],
    ['an unfinished comment', '<!-- ', /comment is not finished/],
    ['an unfinished CDATA', '<![CDATA[ ', /CDATA section is not finished/],
    ['"]]>" in text', '<text>]]></text>', /"\]\]>" in text/],
    ['an id in capitals', '<g data-section="USB" data-label="x"/>', /section "USB": an id is 1 to 40 of a-z/],
    ['an empty id', '<g data-section="" data-label="x"/>', /section "": an id is/],
    ['a long id', `<g data-section="${'a'.repeat(41)}" data-label="x"/>`, /an id is 1 to 40/],
    [
      'no label',
      '<g data-section="a"><g><title>inner</title></g></g>',
      /section "a" has no label: add data-label/,
    ],
    ['a blank label', '<g data-section="a" data-label=" " aria-label=""/>', /section "a" has no label/],
    [
      'an invisible label',
      '<g data-section="a" data-label="\u200b"/>',
      /label that must not be blank: change it/,
    ],
    ['a long label', `<g data-section="a" data-label="${'x'.repeat(81)}"/>`, /label that must be at most 80/],
    [
      'a control character',
      '<g data-section="a" data-label="x\u0085y"/>',
      /must not hold control characters/,
    ],
    [
      'a label that turns round',
      '<g data-section="a" data-label="x\u202ey"/>',
      /must not hold control characters/,
    ],
    [
      'a section in a section',
      '<g data-section="a" data-label="A"><g><g data-section="b" data-label="B"/></g></g>',
      /section "b" lies inside section "a": move it out/,
    ],
    ['a section in defs', '<defs><g data-section="a" data-label="A"/></defs>', /"a" lies in a definition/],
    ['a section in a mask', '<mask><g data-section="a" data-label="A"/></mask>', /"a" lies in a definition/],
    [
      'a section without area',
      '<title data-section="a" data-label="A"/>',
      /<title>: section "a" draws no area/,
    ],
    [
      'a section in what is not drawn',
      '<metadata><g data-section="a" data-label="A"/></metadata>',
      /<metadata> is not drawn, yet a section is in it/,
    ],
    [
      'a section in a title',
      '<title><g data-section="a" data-label="A"/></title>',
      /<g> is not drawn, yet a section/,
    ],
    ['a use of itself', '<g id="a"><use href="#a"/></g>', /<use> repeats itself/],
    [
      'a use of a use of a use',
      Array.from({ length: 14 }, (_, i) => `<g id="u${i + 1}">${`<use href="#u${i}"/>`.repeat(9)}</g>`).join(
        '',
      ),
      /<use> elements make more than 100000 shapes/,
    ],
    [
      'too much nesting',
      `${'<g>'.repeat(200)}${'</g>'.repeat(200)}`,
      /nested deeper than 100 elements: ungroup/,
    ],
  ]
  test.each(refusals)('for %s', (_, content, fault) => {
    expect(faultsBeside(content)).toContainEqual(expect.stringMatching(fault))
  })

  const whole: [name: string, svg: string, fault: RegExp][] = [
    ['that has no section', board('<rect/>'), /no section: mark shapes with data-section/],
    [
      'that is one section',
      board('', 'viewBox="0 0 9 9" data-section="a" data-label="A"'),
      /the whole drawing is one/,
    ],
    ['without a size', board(SECTION, ''), /<svg> has no size: add viewBox/],
    ['with a size of per cent', board(SECTION, 'width="100%" height="100%"'), /has no size/],
    ['with a viewBox of nothing', board(SECTION, 'viewBox="0 0 0 9"'), /has no size/],
    ['with a viewBox that is none', board(SECTION, 'viewBox="0 0 9"'), /has no size/],
    ['that is HTML', '<!DOCTYPE html><html></html>', /the root is <html>: the file must hold one <svg>/],
    ['that is empty', '', /no element at all/],
    ['that is no XML', 'hello', /text outside the <svg> element/],
    ['of two roots', board(SECTION) + board(SECTION), /a second root element/],
    ['cut off', board(SECTION).slice(0, -6), /<svg> is never closed/],
    ['of XML 1.1', `<?xml version="1.1"?>${board(SECTION)}`, /XML 1.0 is meant/],
    [
      'with a declaration after its start',
      ` <?xml version="1.0"?>${board(SECTION)}`,
      /<\?xml…\?>\) must be the first thing/,
    ],
    ['with NUL', board(`${SECTION}\0`), /a character that XML does not allow/],
  ]
  test.each(whole)('%s', (_, svg, fault) => {
    expect(faultsOf(svg)).toContainEqual(expect.stringMatching(fault))
  })

  test('over 4 MiB, counted in bytes, and not a byte earlier', () => {
    const filled = (bytes: number) =>
      `${board(SECTION)}${' '.repeat(bytes - Buffer.byteLength(board(SECTION)))}`
    expect(faultsOf(filled(MOST))).toEqual([])
    expect(faultsOf(filled(MOST + 1))).toEqual([expect.stringMatching(/larger than 4 MiB/)])
    expect(faultsOf(`<!--${'é'.repeat(MOST / 2)}-->${board(SECTION)}`)).toHaveLength(1)
  })

  test('with all its faults at once, each with its line, in the order of the file', () => {
    const faults = faultsOf(`<svg xmlns="http://www.w3.org/2000/svg">
      <script/>
      <g data-section="A"
         onclick="x()"/>
      <image href="http://x"/><rect style="fill:url(http://x)"/>
      <g data-section="b" data-label="B"/>
      <g data-section="b" data-label="B"/>
      <text>&nope;</text>
      <rect fill="url(x)">`)
    expect(faults.map(fault => fault.replace(/: .*/, ''))).toEqual([
      'line 1',
      'line 2',
      'line 3',
      'line 3',
      'line 4',
      'line 5',
      'line 5',
      'line 8',
      'line 9',
      'line 9',
    ])
  })

  test('cut off before its first section, without a word about sections that may have followed', () => {
    expect(faultsOf('<svg viewBox="0 0 9 9"><rect/>')).toEqual(['line 1: <svg> is never closed'])
  })

  test('with a list that stays readable when everything is wrong', () => {
    const faults = faultsOf(board(SECTION + '<script/>\n'.repeat(1000)))
    expect(faults).toHaveLength(201)
    expect(faults.at(-1)).toBe('and 800 more')
  })

  test('in words without control characters, however the file is written', () => {
    for (const fault of faultsBeside(
      '<g data-section="\u001b[31m" data-label="\u009bA"/><rect style="a&#10;b"/>',
    ))
      expect(fault).not.toMatch(/\p{Cc}/u)
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
    const random = generator(20_261_121)
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

function mutate(text: string, random: () => number, pieces: string[]): string {
  let mutated = text
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
    const at = Math.floor(random() * mutated.length)
    const length = random() < 0.5 ? 0 : Math.floor(random() * 4)
    const piece = random() < 0.3 ? '' : pieces[Math.floor(random() * pieces.length)]!
    mutated = mutated.slice(0, at) + piece + mutated.slice(at + length)
  }
  return mutated
}

/** mulberry32: the same mutations in every run. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
