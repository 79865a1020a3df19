import { beforeEach, expect, test } from 'bun:test'
import { Drafts } from '../../../web/src/report/drafts.svelte.ts'
import { memory, newPage, writtenElsewhere } from '../page.ts'
import { ALICE, draftOf } from './parts.ts'

beforeEach(newPage)

test('what one person typed, nobody else’s page finds', () => {
  new Drafts(ALICE).keep(draftOf('usb-port', 'typed by Alice'))
  expect(new Drafts('bob@example.com').list).toEqual([])
  expect(new Drafts(ALICE).of('usb-port')).toMatchObject([{ body: { verbatim: 'typed by Alice' } }])
})

test('several drafts of one section stand beside each other, the newest first', () => {
  const drafts = new Drafts(ALICE)
  const [first, second] = [draftOf('usb-port', 'first'), draftOf('usb-port', 'second')]
  drafts.keep(first)
  drafts.keep(second)
  drafts.keep(draftOf('hdmi', 'elsewhere'))
  expect(drafts.of('usb-port').map(({ body }) => body.verbatim)).toEqual(['second', 'first'])
  drafts.drop(second.key)
  expect(drafts.of('usb-port').map(({ key }) => key)).toEqual([first.key])
  expect([...drafts.sections]).toEqual(['usb-port', 'hdmi'])
})

test('what another tab keeps or drops is seen at once, and never overwritten', () => {
  const drafts = new Drafts(ALICE)
  drafts.keep(draftOf('usb-port', 'mine'))
  const other = draftOf('hdmi', 'theirs', { state: 'waiting' })
  const name = `faultline.drafts.${ALICE}`
  writtenElsewhere(name, JSON.stringify({ ...JSON.parse(memory.getItem(name)!), [other.key]: other }))
  expect(drafts.waiting).toEqual([other])
  drafts.keep(draftOf('memory', 'mine too'))
  expect(new Drafts(ALICE).list).toHaveLength(3)
  writtenElsewhere(name, null)
  expect(drafts.list).toEqual([])
})

test('a draft of version 0.1.0 is read as one of today', () => {
  const old = { section: 'usb-port', text: 'old', project: 'Hinge rework', key: 'a key', state: 'waiting' }
  memory.setItem(`faultline.drafts.${ALICE}`, JSON.stringify({ 'usb-port': old }))
  expect(new Drafts(ALICE).list).toEqual([
    {
      key: 'a key',
      state: 'waiting',
      project: 'Hinge rework',
      body: { section_id: 'usb-port', verbatim: 'old' },
    },
  ])
})

test('when the browser stores nothing they last as long as the page, and leaving it is asked about', () => {
  const drafts = new Drafts(ALICE)
  memory.full = true
  const draft = draftOf('usb-port', 'held in the page')
  drafts.keep(draft)
  drafts.keep(draftOf('hdmi', 'this too'))
  expect(drafts.list).toHaveLength(2)
  const leaving = new Event('beforeunload', { cancelable: true })
  dispatchEvent(leaving)
  expect(leaving.defaultPrevented).toBe(true)
})

test('what is stored and is no draft harms nothing', () => {
  memory.setItem(`faultline.drafts.${ALICE}`, '{')
  expect(new Drafts(ALICE).list).toEqual([])
})
