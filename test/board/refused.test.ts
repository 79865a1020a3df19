import { describe, expect, test } from 'bun:test'
import { drawing as board, faultsBeside, faultsOf, MOST, SECTION, XHTML } from '../support/board.ts'

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
