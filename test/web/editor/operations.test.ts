import { expect, test } from 'bun:test'
import type { Marking, Part } from '../../../server/editor/edited-board.ts'
import {
  join,
  mark,
  nameFaults,
  outermost,
  removeSection,
  rename,
  sectionAt,
  sectionsMet,
  unmark,
} from '../../../web/src/editor/operations.ts'

const at = (...paths: string[]): Part[] => paths.map(path => ({ path }))
const rect: Part = { rect: [1, 2, 3, 4] }
const marking: Marking = [
  { id: 'roof', label: 'Roof', parts: at('0.1', '0.2') },
  { id: 'door', label: 'Door', parts: [...at('3'), rect] },
]
const ids = (sections: Marking) => sections.map(({ id }) => id)

test('an element belongs to the section that marks it or what it lies in', () => {
  expect(sectionAt(marking, '0.1')?.id).toBe('roof')
  expect(sectionAt(marking, '3.0.7')?.id).toBe('door')
  expect(sectionAt(marking, '0')).toBeUndefined()
  expect(sectionAt(marking, '0.10')).toBeUndefined()
})

test('what lies in or around sections meets them', () => {
  expect(ids(sectionsMet(marking, at('0')))).toEqual(['roof'])
  expect(ids(sectionsMet(marking, at('0.1.5', '3')))).toEqual(['roof', 'door'])
  expect(ids(sectionsMet(marking, [rect]))).toEqual(['door'])
  expect(ids(sectionsMet(marking, [...at('1'), { rect: [1, 2, 3, 5] }]))).toEqual([])
})

test('elements are marked as a new section, after those that are there', () => {
  expect(mark(marking, at('1', '2'), { id: 'wall', label: 'Wall' })).toEqual([
    ...marking,
    { id: 'wall', label: 'Wall', parts: at('1', '2') },
  ])
  expect(mark(marking, at('0.1'), { id: 'wall', label: 'Wall' })).toBeUndefined()
  expect(mark(marking, at('3.1'), { id: 'wall', label: 'Wall' })).toBeUndefined()
})

test('joined to a section, an element takes the place of what it holds of it', () => {
  expect(join(marking, 'roof', at('1'))?.[0]?.parts).toEqual(at('0.1', '0.2', '1'))
  expect(join(marking, 'roof', at('0'))?.[0]?.parts).toEqual(at('0'))
  expect(join(marking, 'roof', at('0.1.4'))?.[0]?.parts).toEqual(at('0.2', '0.1.4'))
  expect(join(marking, 'roof', at('3.1'))).toBeUndefined()
})

test('of elements in each other the outer ones are kept, each once', () => {
  expect(outermost([...at('1', '1.2', '2.0', '1', '2'), rect, rect])).toEqual([...at('1', '2'), rect])
})

test('a section is gone with its last part', () => {
  const without = unmark(marking, rect)
  expect(without[1]?.parts).toEqual(at('3'))
  expect(ids(unmark(without, { path: '3' }))).toEqual(['roof'])
  expect(ids(removeSection(marking, 'roof'))).toEqual(['door'])
})

test('a section gets another name and keeps its parts', () => {
  expect(rename(marking, 'door', { id: 'gate', label: 'Gate' })[1]).toEqual({
    id: 'gate',
    label: 'Gate',
    parts: marking[1]!.parts,
  })
})

test('what is wrong with a name is said beside it', () => {
  expect(nameFaults({ id: 'roof', label: 'Roof' }, ['door'])).toEqual({})
  expect(nameFaults({ id: 'door', label: ' ' }, ['door'])).toEqual({
    id: 'Another section has this id.',
    label: 'Say what people call it.',
  })
  for (const id of ['', 'Roof', 'a b', 'x'.repeat(41)])
    expect(nameFaults({ id, label: 'x'.repeat(81) }, [])).toEqual({
      id: expect.stringContaining('1 to 40'),
      label: 'At most 80 characters.',
    })
})
