import { describe, expect, test } from 'bun:test'
import { loadBoard } from '../../server/board/board.ts'
import { imported } from '../support/board.ts'

const section = (content: string, attributes = '') =>
  `<g data-section="a" data-label="A" ${attributes}>${content}</g>`
const warnings = (content: string) => imported(content).said.filter(text => text.startsWith('section'))
const SHAPE = '<rect x="5" y="5" width="9" height="9"/>'

describe('a section that nobody can see or press is told', () => {
  const unseen: [why: string, content: string, said: string][] = [
    ['empty', section(''), 'is empty'],
    ['empty groups', section('<g><g/></g>'), 'is empty'],
    ['a shape of no size', '<rect data-section="a" data-label="A" width="0" height="9"/>', 'is empty'],
    ['a path without a way', '<path data-section="a" data-label="A"/>', 'is empty'],
    ['definitions alone', section(`<defs>${SHAPE}</defs>`), 'is empty'],
    ['not displayed', section(SHAPE, 'display="none"'), 'is hidden'],
    ['not displayed by a style', section(SHAPE, 'style="display:none"'), 'is hidden'],
    ['in a layer that is switched off', `<g style="display:none">${section(SHAPE)}</g>`, 'is hidden'],
    ['invisible', `<g visibility="hidden">${section(SHAPE)}</g>`, 'is hidden'],
    ['of no opacity', section(SHAPE, 'opacity="0"'), 'is hidden'],
    ['right of the view', section('<rect x="91" y="5" width="9" height="9"/>'), 'lies outside the view'],
    ['above the view', section('<circle cx="5" cy="-9" r="5"/>'), 'lies outside the view'],
    [
      'moved out of the view',
      `<g transform="translate(0 99)">${section(SHAPE)}</g>`,
      'lies outside the view',
    ],
    ['turned out of the view', section(SHAPE, 'transform="rotate(180) scale(2)"'), 'lies outside the view'],
  ]
  test.each(unseen)('%s', (_, content, said) => {
    expect(warnings(content)).toEqual([`section "a" ${said}: nobody can see or press it`])
  })
})

describe('a section that is covered wholly is told, with the one that covers it', () => {
  const covering = (shape: string) => shape.replace(' ', ' data-section="b" data-label="B" ')
  const covered = 'section "a" is covered wholly by section "b": nobody can press it'
  test.each([
    ['by the same rectangle', section(SHAPE) + covering(SHAPE)],
    [
      'by the same path, moved as far',
      `<g transform="translate(3 3)">${section('<path d="M0 0h9v9z"/>')}${covering('<path d="M0 0h9v9z"/>')}</g>`,
    ],
  ])('%s', (_, content) => {
    expect(warnings(content)).toEqual([covered])
  })

  test.each([
    ['by a part of it', section(`${SHAPE}<circle cx="50" cy="50" r="9"/>`) + covering(SHAPE)],
    [
      'by the same shape elsewhere',
      section(SHAPE) + covering(SHAPE.replace('/>', ' transform="translate(9 9)"/>')),
    ],
    ['by one that is hidden', section(SHAPE) + covering(SHAPE.replace('/>', ' display="none"/>'))],
  ])('but not %s', (_, content) => {
    expect(warnings(content)).not.toContain(covered)
  })
})

describe('nothing is said of a section', () => {
  const seen: [name: string, content: string][] = [
    ['that is seen', section(SHAPE)],
    ['of which a part is seen', section(`<g display="none">${SHAPE}</g>`) + section(SHAPE)],
    [
      'that is visible in a group that is not',
      `<g visibility="hidden">${section(SHAPE, 'visibility="visible"')}</g>`,
    ],
    ['that reaches into the view', section('<rect x="-9" y="-9" width="200" height="200"/>')],
    [
      'that is moved into the view',
      section('<rect x="-95" y="5" width="9" height="9"/>', 'transform="matrix(1 0 0 1 95 0)"'),
    ],
    ['that only a browser can place', section('<path d="m999 999h9"/>')],
    ['in units', '<rect data-section="a" data-label="A" x="900mm" width="9mm" height="9mm"/>'],
    ['in a drawing in the drawing', `<svg x="-900">${section('<rect x="905" width="9" height="9"/>')}</svg>`],
  ]
  test.each(seen)('%s', (_, content) => {
    expect(warnings(content)).toEqual([])
  })

  test('of the built-in board', () => {
    expect(loadBoard().warnings).toEqual([])
  })
})
