import { expect, test } from 'bun:test'
import { type Hints, idFor, suggest } from '../../../web/src/editor/suggest.ts'

test.each<[string, Hints, label: string, id: string]>([
  ['the label first', { label: 'USB port', title: 'x1', id: 'usb', text: '5V' }, 'USB port', 'usb-port'],
  ['then the title', { title: ' Main\n pump ', id: 'pump_7', text: '5V' }, 'Main pump', 'main-pump'],
  ['then the id, as words', { id: 'frontDoor', text: 'push' }, 'Front door', 'front-door'],
  ['an id of Illustrator', { id: 'Front_x20_door_2_' }, 'Front door', 'front-door'],
  [
    'then what is written inside',
    { id: 'g1234', text: 'Scheduler queue' },
    'Scheduler queue',
    'scheduler-queue',
  ],
  ['no label that a program made', { label: 'path12', title: 'Layer 3', text: 'Cooler' }, 'Cooler', 'cooler'],
  ['letters with marks', { title: 'Büro Süd' }, 'Büro Süd', 'buro-sud'],
  ['letters that no id has', { title: '電源 unit' }, '電源 unit', 'unit'],
  ['only letters that no id has', { title: '電源' }, '電源', 'section'],
  ['a short one of a circuit', { id: 'C3' }, 'C3', 'c3'],
  ['nothing at all', {}, 'Section 3', 'section-3'],
])('%s', (_, hints, label, id) => {
  expect(suggest(hints, ['a', 'b'])).toEqual({ label, id })
})

test.each([
  'rect3941-8',
  'gge4653',
  'g12',
  'SVGID_1_',
  'Layer_1',
  'path1234-5',
  '_x32_',
  'a1b2c3d4',
  'Group 12',
  'polygon7',
  'text',
])('an id such as %s is no name', id => {
  expect(suggest({ id }, []).label).toBe('Section 1')
})

test('an id is at most 40 long, and another one where it is taken', () => {
  const long = idFor('a very long name that goes on and on and on for ever', [])
  expect(long.length).toBeLessThanOrEqual(40)
  expect(long).toMatch(/^[a-z0-9-]+[a-z0-9]$/)
  expect(idFor('Roof', ['roof', 'roof-2'])).toBe('roof-3')
})

test('what is written inside is cut at a word', () => {
  const { label } = suggest({ text: 'word '.repeat(40) }, [])
  expect(label).toEndWith('word…')
  expect(label.length).toBeLessThan(64)
})
