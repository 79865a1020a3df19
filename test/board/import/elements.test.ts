import { describe, expect, test } from 'bun:test'
import { parseBoard } from '../../../server/board/board.ts'
import { drawing, faultsBeside, faultsOf, imported, SECTION, XHTML } from '../../support/board.ts'

describe('what a board cannot have becomes what it can', () => {
  const changes: [name: string, content: string, written: string][] = [
    ['a link is a group', '<a xlink:href="http://x/" target="_blank"><rect/></a>', '<g><rect/></g>'],
    [
      'a switch is its first branch that SVG can show',
      `<switch><foreignObject/><text>A</text><text>B</text></switch>`,
      '<g><text>A</text></g>',
    ],
    [
      'a branch for another program is passed over',
      '<switch><g requiredExtensions="http://ns.adobe.com/x"/><rect/></switch>',
      '<g><rect/></g>',
    ],
    [
      'a branch for features that every browser has stays',
      '<switch><g requiredFeatures="http://x#Extensibility"/><rect/></switch>',
      '<g><g/></g>',
    ],
    [
      'what is made for another program is left out',
      '<g requiredExtensions="http://ns.adobe.com/x"><rect/></g>',
      '',
    ],
    ['flowed text is left out', '<flowRoot><flowPara>x</flowPara></flowRoot>', ''],
    ['a font is left out', '<font><glyph unicode="x" d="M0 0"/></font>', ''],
    ['an unknown element is left out', '<constructor><rect/></constructor>', ''],
    ['HTML that no browser shows here is left out', `<div xmlns="${XHTML}">x</div>`, ''],
  ]
  test.each(changes)('%s', (_, content, written) => {
    const board = imported(content)
    expect(board.written).toBe(written)
    expect(board.said).not.toEqual([])
  })

  test('a branch for a language stays with its switch', () => {
    expect(imported('<switch><text systemLanguage="de">A</text><text>B</text></switch>').written).toBe(
      '<switch><text systemLanguage="de">A</text><text>B</text></switch>',
    )
  })

  test('nothing is said of a drawing that stays as it is', () => {
    expect(parseBoard(drawing(SECTION)).warnings).toEqual([])
    expect(imported('<g fill="red"><path d="M0 0h9"/></g>').said).toEqual([])
  })
})

describe('text of HTML', () => {
  const html = (body: string, box = 'x="10" y="20" width="100" height="40"') =>
    imported(`<foreignObject ${box}><div xmlns="${XHTML}">${body}</div></foreignObject>`).written

  test('stands where it stood, a line for each line', () => {
    expect(html('One<br/>two <b>three</b>')).toBe(
      '<g><text x="10" y="35.2" text-anchor="start" stroke="none" fill="#000" font-size="16">One</text>' +
        '<text x="10" y="54.4" text-anchor="start" stroke="none" fill="#000" font-size="16">two three</text></g>',
    )
  })

  test('keeps its letters, colour and side', () => {
    const written = html(
      '<p style="font:bold 12px Arial"/><p style="font-size:10px;font-family:Arial;color:#123;text-align:center">A &amp; B</p>',
    )
    expect(written).toContain('x="60"')
    expect(written).toContain('text-anchor="middle"')
    expect(written).toContain('font-size="10" font-family="Arial"')
    expect(written).toContain('fill="#123"')
    expect(written).toContain('>A &amp; B</text>')
  })

  test('stands in the middle of the box that draw.io gives it', () => {
    const written = html(
      `<div style="display:flex;align-items:unsafe center;justify-content:unsafe center;width:98px;height:1px;padding-top:30px;margin-left:51px"><div style="font-size:0;text-align:center"><div style="display:inline-block;font-size:12px;line-height:1.2;white-space:normal">Pump</div></div></div>`,
      'width="100%" height="100%"',
    )
    expect(written).toContain('<text x="100" y="34.7" text-anchor="middle"')
  })

  test('is broken into lines where its box ends', () => {
    expect(html('one two three four five six seven').match(/<text /g)).toHaveLength(4)
  })

  test('is nothing where there is none', () => {
    expect(html('<img src="data:image/png;base64,AA"/> ')).toBe('')
  })

  test('may be a section', () => {
    const { sections } = imported(
      `<foreignObject data-section="a" data-label="A" width="9" height="9"><p xmlns="${XHTML}">x</p></foreignObject>`,
    )
    expect(sections.get('a')?.label).toBe('A')
  })
})

describe('a section of several elements', () => {
  test('is one, with the label that one of them has', () => {
    const { svg, sections } = parseBoard(
      drawing(
        '<rect data-section="a"/><g/><path data-section="a" data-label="A"/><rect data-section="b" data-label="B"/>',
      ),
    )
    expect([...sections.values()]).toEqual([
      { id: 'a', label: 'A' },
      { id: 'b', label: 'B' },
    ])
    expect(svg.match(/data-section="a" data-label="A"/g)).toHaveLength(2)
  })

  test('keeps its first label, and says so of another', () => {
    const { sections, said } = imported(
      '<g data-section="a" data-label="A"/><g data-section="a" data-label="B"/>',
    )
    expect(sections.get('a')?.label).toBe('A')
    expect(said).toContainEqual(expect.stringMatching(/section "a" has more than one label: "A" is read/))
  })

  test('may lie in itself', () => {
    expect(imported('<g data-section="a" data-label="A"><rect data-section="a"/></g>').written).toBe(
      '<g data-section="a" data-label="A"><rect/></g>',
    )
  })

  test('must have a label on one of them', () => {
    expect(faultsBeside('<g data-section="a"/><g data-section="a"/>')).toEqual([
      'line 1: <g>: section "a" has no label: add data-label="…", aria-label="…" or <title>',
    ])
  })
})

test('a fault names its element by its id, for such a file has one line', () => {
  expect(faultsBeside('<rect id="lid" onclick="x()"/>')).toEqual([
    'line 1: <rect id="lid"> onclick: a board runs no code: remove this attribute',
  ])
})

describe('a section in what is not shown', () => {
  test('of a switch is the switch', () => {
    expect(imported('<switch><foreignObject data-section="a" data-label="A"/><rect/></switch>').written).toBe(
      '<g data-section="a" data-label="A"><rect/></g>',
    )
  })

  test('is left out with a warning', () => {
    const { sections, said } = imported(
      '<image data-section="a" data-label="A" href="data:image/gif;base64,AA"/>',
    )
    expect([...sections.keys()]).toEqual(['usb-port'])
    expect(said).toContain('is left out, and a section with it')
  })

  test('is refused when it is the only one', () => {
    expect(
      faultsOf(drawing('<image data-section="a" data-label="A" href="data:image/gif;base64,AA"/>')),
    ).toEqual(['line 1: <svg>: no section: mark shapes with data-section="…" and data-label="…"'])
  })
})
