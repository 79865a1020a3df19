import { beforeEach, expect, test } from 'bun:test'
import { Combobox } from '../../../web/src/lib/combobox.svelte.ts'
import { newPage } from '../page.ts'
import { parts } from './parts.ts'

beforeEach(newPage)

async function list() {
  const all = parts()
  all.server.projects = ['Axle', 'Hinge rework', 'Lot 7', 'lot 70'].map(name => ({ id: name, name }))
  await all.projects.load()
  return all.projects
}

test('the project used last comes first, on the next visit too', async () => {
  const projects = await list()
  projects.use('Lot 7')
  expect((await list()).choices('').map(({ name }) => name)).toEqual([
    'Lot 7',
    'Axle',
    'Hinge rework',
    'lot 70',
  ])
})

test('what is typed narrows the list, its exact name first, and may be created when it is new', async () => {
  const projects = await list()
  expect(projects.choices(' LOT 7 ').map(({ name }) => name)).toEqual(['Lot 7', 'lot 70'])
  expect(projects.choices('lot')).toEqual([
    { name: 'Lot 7', creates: false },
    { name: 'lot 70', creates: false },
    { name: 'lot', creates: true },
  ])
})

test('the list is moved through by arrows, chosen from by Enter or Tab, left by Escape', () => {
  const chosen: string[] = []
  const all = ['a', 'b'].map(name => ({ name, creates: false }))
  const box = new Combobox({
    choices: typed => all.filter(({ name }) => name.includes(typed)),
    choose: name => chosen.push(name),
  })
  const press = (key: string) => {
    const event = Object.assign(new Event('keydown', { cancelable: true }), { key })
    box.press(event as KeyboardEvent, box.open ? box.choices('a') : [])
    return event.defaultPrevented
  }
  expect(press('Enter')).toBe(false)
  press('ArrowDown')
  expect([box.open, box.active]).toEqual([true, 0])
  press('ArrowUp')
  expect(box.active).toBe(1)
  expect(press('Enter')).toBe(true)
  expect([chosen, box.open]).toEqual([['b'], false])
  press('ArrowDown')
  press('ArrowDown')
  // Tab leaves the field, with what the arrows went to; what was only typed stays as it is.
  expect(press('Tab')).toBe(false)
  expect([chosen, box.open]).toEqual([['b', 'b'], false])
  box.typed()
  expect(press('Tab')).toBe(false)
  expect(chosen).toHaveLength(2)
  expect(box.choices('a')).toHaveLength(1)
  expect(press('Escape')).toBe(true)
  expect(press('Escape')).toBe(false)
})
