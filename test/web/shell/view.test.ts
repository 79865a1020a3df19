import '../page.ts'
import { beforeEach, expect, test } from 'bun:test'
import { Router } from '../../../web/src/shell/router.svelte.ts'
import { View } from '../../../web/src/shell/view.svelte.ts'
import { address, back, newPage, openAt } from '../page.ts'

let router: Router
let view: View
function open(at: string) {
  openAt(at)
  router = new Router()
  view = new View(router)
}
beforeEach(newPage)

test('the address alone says what is looked at', () => {
  open('/?days=30d&project=p1&section=cpu&q=loose')
  expect(view.narrowed).toEqual({ days: 30, project: 'p1', section: 'cpu', q: 'loose' })
  expect(view.counted).toEqual({ days: 30, project: 'p1' })
  open('/')
  expect(view.narrowed).toEqual({})
})

test('on the page of a section the path wins', () => {
  open('/sections/cpu?section=usb-port&days=7d')
  expect(view.narrowed).toEqual({ section: 'cpu', days: 7 })
})

test('another page keeps the view, but for the section that was looked at', () => {
  open('/?days=30d&section=cpu&q=loose')
  expect(view.at('/sections/usb-port')).toBe('/sections/usb-port?days=30d&q=loose')
  expect(view.at('/')).toBe('/?days=30d&q=loose')
})

test('a change is a step to go back from; what is typed is one step in all', () => {
  open('/')
  view.change({ days: 7 })
  view.change({ project: 'p1' })
  expect(address()).toBe('/?days=7d&project=p1')
  for (const q of ['l', 'lo', 'loo']) view.change({ q }, { typing: true })
  expect(view.narrowed).toEqual({ project: 'p1', days: 7, q: 'loo' })
  back()
  expect(view.narrowed).toEqual({ days: 7, project: 'p1' })
  back()
  expect(view.narrowed).toEqual({ days: 7 })
  back()
  expect(view.narrowed).toEqual({})
})

test('on the page of a section it changes there, and without a section on the board', () => {
  open('/sections/cpu?days=7d')
  view.change({ project: 'p1' })
  expect(address()).toBe('/sections/cpu?days=7d&project=p1')
  view.change({ section: undefined })
  expect(address()).toBe('/?days=7d&project=p1')
})

test('from the page of a report it leads to the board', () => {
  open('/defects/0190a6e0')
  view.change({ project: 'p1' })
  expect(address()).toBe('/?project=p1')
})
