import { describe, expect, test } from 'bun:test'
import { faultsBeside, faultsOf, imported } from '../../support/board.ts'

const styled = (css: string, content: string) => imported(`<style>${css}</style>${content}`)

describe('a style sheet becomes attributes', () => {
  const rules: [name: string, css: string, content: string, written: string][] = [
    ['by class', '.a{fill:red}', '<rect class="b a"/>', '<rect fill="red"/>'],
    ['by id', '#a{fill:red}', '<rect id="a"/>', '<rect id="board-a" fill="red"/>'],
    ['by name', 'rect{fill:red}', '<rect/>', '<rect fill="red"/>'],
    ['by attribute', '[layerid="1"]{fill:red}', '<rect layerid="1"/>', '<rect fill="red"/>'],
    [
      'by place',
      'g > g rect:first-child{fill:red}',
      '<g><g><rect/><rect/></g></g>',
      '<g><g><rect fill="red"/><rect/></g></g>',
    ],
    ['of a list', '.x, .a{fill:red}', '<rect class="a"/>', '<rect fill="red"/>'],
    [
      'with the more specific rule first',
      '#a{fill:red}.a{fill:blue}rect{fill:green}',
      '<rect id="a" class="a"/>',
      '<rect id="board-a" fill="red"/>',
    ],
    [
      'with the later of two alike',
      '.a{fill:red}.b{fill:blue}',
      '<rect class="b a"/>',
      '<rect fill="blue"/>',
    ],
    [
      'with what is important before all',
      '.a{fill:red !important}#a{fill:blue}',
      '<rect id="a" class="a" style="fill:green"/>',
      '<rect id="board-a" fill="red"/>',
    ],
    [
      'with a style before it, and attributes after',
      '.a{fill:red;stroke:red}',
      '<rect class="a" fill="blue" stroke="blue" style="fill:green"/>',
      '<rect fill="green" stroke="red"/>',
    ],
    [
      'for the screen',
      '@media screen{.a{fill:red}}@media print{.a{fill:blue}}',
      '<rect class="a"/>',
      '<rect fill="red"/>',
    ],
    ['for light pages', '@media (prefers-color-scheme: dark){.a{fill:red}}', '<rect class="a"/>', '<rect/>'],
    [
      'out of CDATA',
      '<![CDATA[.a>rect{fill:red}]]>',
      '<g class="a"><rect/></g>',
      '<g><rect fill="red"/></g>',
    ],
    ['without what a pointer does', '.a:hover{fill:red}', '<rect class="a"/>', '<rect/>'],
    [
      'with markers',
      '.a{marker:url(#m)}',
      '<path class="a"/>',
      '<path marker-start="url(#m)" marker-mid="url(#m)" marker-end="url(#m)"/>',
    ],
    [
      'with fonts',
      '.a{font:italic bold 12px/1.5 "A B", serif}',
      '<text class="a"/>',
      '<text font-style="italic" font-variant="normal" font-weight="bold" font-size="12px" font-family="&quot;A B&quot;, serif"/>',
    ],
    [
      'with transforms',
      '.a{transform:translate(1px,2px) rotate(.5turn)}',
      '<g class="a"/>',
      '<g transform="translate(1,2) rotate(180)"/>',
    ],
    [
      'with variables',
      ':root{--c:red}.a{fill:var(--c);stroke:var(--no, var(--c))}',
      '<rect class="a"/>',
      '<rect fill="red" stroke="red"/>',
    ],
    [
      'without a variable that has no value',
      '.a{fill:var(--no)}',
      '<rect class="a" fill="blue"/>',
      '<rect/>',
    ],
    [
      'with the light of two colours',
      '.a{fill:light-dark(rgb(1, 2, 3), #fff)}',
      '<rect class="a"/>',
      '<rect fill="rgb(1, 2, 3)"/>',
    ],
    [
      'without lengths that CSS does not know',
      '.a{font-size:12;stroke-width:2}',
      '<text class="a"/>',
      '<text stroke-width="2"/>',
    ],
    ['without comments', '.a{fill:/* url(http://x) */red}', '<rect class="a"/>', '<rect fill="red"/>'],
  ]
  test.each(rules)('%s', (_, css, content, written) => {
    expect(styled(css.replaceAll('>', css.includes('CDATA') ? '>' : '&gt;'), content).written).toBe(written)
  })
})

describe('what cannot be an attribute', () => {
  const ignored: [name: string, content: string, said: RegExp][] = [
    ['a style that is none', '<rect style="what is this"/>', /"what is this" is no declaration/],
    ['a property of pages', '<rect style="position:fixed"/>', /position has no attribute in SVG/],
    ['what changes nothing', '<text style="line-height:2"/>', /changes nothing in a picture/],
    ['a function that is none', '<rect fill="pick(1)"/>', /pick\(…\) is no value here/],
    ['an animation', '<style>@keyframes x{}</style><rect style="animation:x 1s"/>', /holds still/],
    [
      'a font',
      '<style>@font-face{font-family:X;src:url(data:font/woff2;base64,AA)}</style>',
      /fonts do not travel/,
    ],
    [
      'a rule that nobody knows',
      '<style>rect:unheard{fill:red}</style><rect/>',
      /"rect:unheard" is not understood/,
    ],
    ['a rule of HTML', '<style>rect::before{fill:red}</style><rect/>', /"rect::before" is not understood/],
  ]
  test.each(ignored)('is left out with a warning: %s', (_, content, said) => {
    expect(imported(content).said).toContainEqual(expect.stringMatching(said))
  })

  test('is told once, with its first element and how often it was', () => {
    const { warnings } = imported('<g id="one" style="zoom:2"/>\n<g id="two" style="float:left"/>')
    expect(warnings).toContainEqual({
      line: 1,
      element: 'g',
      id: 'one',
      text: 'style: what changes nothing in a picture is left out, such as line-height',
      count: 2,
      harmless: true,
    })
  })
})

describe('the background of the drawing', () => {
  test.each([
    ['background:#fff', '#fff'],
    ['background-color: rgb(1, 2, 3)', 'rgb(1, 2, 3)'],
    ['background: light-dark(#ffffff, var(--x, #121212)); color-scheme: light dark', '#ffffff'],
  ])('%s is a rectangle behind it', (style, fill) => {
    const { svg } = imported('', `viewBox="-5 -5 90 60" style="${style}"`)
    expect(svg).toContain(
      `viewBox="-5 -5 90 60"><rect x="-5" y="-5" width="90" height="60" fill="${fill}" stroke="none"/>`,
    )
  })

  test.each(['none', 'transparent', 'url(x.png)'])('%s is none', background => {
    expect(imported('', `viewBox="0 0 9 9" style="background:${background}"`).svg).not.toContain('<rect x=')
  })

  test('does not take the size from the drawing', () => {
    const { svg } = imported('', 'width="90" height="60" style="width:100%;height:auto;max-width:90px"')
    expect(svg).toContain('viewBox="0 0 90 60"')
  })
})

describe('a style sheet is refused', () => {
  const refused: [name: string, css: string, fault: RegExp][] = [
    ['that imports', '@import url(http://x/y.css);', /<style> @import: refers outside the file/],
    ['that imports in capitals', '@IMPORT "y.css";', /@import: refers outside/],
    ['that paints from elsewhere', 'rect{fill:url(http://x/#a)}', /<rect> fill: refers outside the file/],
    ['that paints from elsewhere, escaped', 'rect{fill:u\\72l(http://x/#a)}', /<rect> fill: escapes/],
    ['that paints by an image', 'rect{fill:image-set("x.png" 1x)}', /image-set\(…\) is not possible/],
    ['that computes', 'rect{width:expression(alert(1))}', /expression\(…\) is not possible/],
    [
      'that filters from elsewhere by a variable',
      ':root{--x:url(//x#a)}rect{filter:var(--x)}',
      /<rect> filter: refers outside/,
    ],
    ['nested without end', `${'@media all{'.repeat(100)}rect{fill:red}`, /nested too deep/],
  ]
  test.each(refused)('%s', (_, css, fault) => {
    expect(faultsBeside(`<style><![CDATA[${css}]]></style><rect/>`)).toContainEqual(
      expect.stringMatching(fault),
    )
  })

  test('when it is linked', () => {
    expect(
      faultsBeside(`<link xmlns="http://www.w3.org/1999/xhtml" rel="stylesheet" href="x.css"/>`),
    ).toContainEqual(expect.stringMatching(/<link>: it would load something/))
  })
})

describe('the work for a style sheet is bounded', () => {
  const many = (count: number, text: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => text(i)).join('')
  const sheet = (css: string, content: string) => `<style><![CDATA[${css}]]></style>${content}`
  const TOO_LONG = /takes too long to apply/

  const refused: [name: string, content: string][] = [
    ['every rule for every shape', sheet('*{fill:red}'.repeat(100_000), '<g/>'.repeat(1_000))],
    [
      'places within places',
      sheet(`q ${'g '.repeat(30)}x{fill:red}`, `${'<g>'.repeat(90)}${'<x/>'.repeat(10)}${'</g>'.repeat(90)}`),
    ],
    ['neighbours of neighbours', sheet('x ~ g ~ g ~ g{fill:red}', '<g/>'.repeat(2_000))],
    [
      'children that are counted',
      sheet(
        many(200, i => `g:nth-last-child(${i + 1}n){fill:red}`),
        '<g/>'.repeat(5_000),
      ),
    ],
  ]
  test.each(refused)('%s: refused after so many steps', (_, content) => {
    expect(faultsBeside(content)).toContainEqual(expect.stringMatching(TOO_LONG))
  })

  const accepted: [name: string, content: string][] = [
    [
      '100 000 rules of one shape each',
      sheet(
        many(100_000, i => `.a${i}{fill:red}`),
        many(1_000, i => `<g class="a${i * 100}"/>`),
      ),
    ],
    ['a selector of a megabyte', sheet(`${'g '.repeat(500_000)}{fill:red}`, '<g/>')],
    ['a list of a megabyte', sheet(`${'.a,'.repeat(300_000)}g{fill:red}`, '<g/>')],
    ['negations in negations', sheet(`${':not('.repeat(60)}g${')'.repeat(60)}{fill:red}`, '<g/>')],
    ['calls in calls', sheet(`g{fill:${'light-dark('.repeat(60)}red${',x)'.repeat(60)}}`, '<g/>')],
    [
      'variables that stand for each other',
      sheet(`:root{--a:var(--b)var(--b);--b:var(--a)var(--a)}g{fill:var(--a)}`, '<g/>'),
    ],
    [
      'variables that grow',
      sheet(
        `:root{--v0:${'x'.repeat(1000)};${many(30, i => `--v${i + 1}:${`var(--v${i})`.repeat(9)};`)}}g{fill:var(--v30)}`,
        '<g/>',
      ),
    ],
  ]
  test.each(accepted)('%s: accepted', (_, content) => {
    expect(faultsBeside(content)).toEqual([])
  })

  test('too many shapes are refused before any style sheet is read', () => {
    expect(faultsOf(`<svg>${'<g/>'.repeat(100_001)}`)).toContainEqual(
      expect.stringMatching(/more than 100000 elements/),
    )
  })
})
