import { beforeEach, expect, test } from 'bun:test'
import { newPage } from '../page.ts'
import { draftOf, offline, parts, refused, signedOut } from './parts.ts'

beforeEach(newPage)

test('a report goes with its body, the project’s id and its key, and its draft is dropped with the receipt', async () => {
  const { outbox, drafts, projects, sent, said } = parts()
  const draft = draftOf('usb-port', 'loose', { project: '  Lot 7 ' })
  const outcome = await outbox.send(draft)
  expect(outcome).toMatchObject({ kind: 'filed', entry: { verbatim: 'loose', project_name: 'Lot 7' } })
  expect(sent).toEqual([
    { key: draft.key, body: { section_id: 'usb-port', verbatim: 'loose', project_id: 'p2' } },
  ])
  expect(drafts.list).toEqual([])
  expect(projects.last).toBe('Lot 7')
  expect(said).toEqual(['filed usb-port'])
})

test.each<[string, Error]>([
  ['the server is away', offline()],
  ['we erred', new Error('a fault of our own')],
])('without an answer it waits under its key: %s', async (_, error) => {
  const { outbox, drafts, server, sent } = parts()
  server.fails = () => error
  const draft = draftOf('usb-port', 'loose')
  expect(await outbox.send(draft)).toEqual({ kind: 'waiting' })
  expect(drafts.waiting).toEqual([{ ...draft, state: 'waiting' }])
  server.fails = undefined
  await outbox.flush()
  expect(sent.map(({ key }) => key)).toEqual([draft.key, draft.key])
  expect(drafts.list).toEqual([])
})

test('one report is never under way twice', async () => {
  const { outbox, sent } = parts()
  const draft = draftOf('usb-port', 'loose')
  const outcomes = await Promise.all([outbox.send(draft), outbox.send(draft), outbox.flush()])
  expect(outcomes.map(outcome => outcome?.kind)).toEqual(['filed', 'waiting', undefined])
  expect(sent).toHaveLength(1)
})

test('an ended session is an outcome of its own, and what waits goes on waiting', async () => {
  const { outbox, drafts, server } = parts()
  server.fails = signedOut
  expect(await outbox.send(draftOf('usb-port', 'loose'))).toEqual({ kind: 'signed-out' })
  expect(drafts.waiting).toHaveLength(1)
})

test('what has to be mended comes back as a value, and the draft is typed on', async () => {
  const { outbox, drafts, server } = parts()
  server.fails = () => refused('invalid_body', { verbatim: 'must not be blank' })
  const draft = draftOf('usb-port', '⠀')
  const outcome = await outbox.send(draft)
  expect(outcome).toEqual({
    kind: 'refused',
    draft,
    faults: { verbatim: 'The description must not be blank.' },
  })
  expect(drafts.list).toEqual([draft])
})

test('a key that was used for another wording is exchanged for a new one', async () => {
  const { outbox, drafts, server } = parts()
  server.fails = () => refused('idempotency_key_reused')
  const draft = draftOf('usb-port', 'second wording')
  const outcome = await outbox.send(draft)
  if (outcome.kind !== 'refused') throw new Error(outcome.kind)
  expect(outcome.draft.key).not.toBe(draft.key)
  expect(outcome.draft.body).toEqual(draft.body)
  expect(outcome.faults.form).toContain('An earlier wording')
  expect(drafts.list).toEqual([outcome.draft])
})

test('a project that is gone is found or created anew', async () => {
  const { outbox, projects, server, sent } = parts()
  await projects.load()
  let first = true
  server.fails = () => {
    if (!first) return undefined
    first = false
    return refused('unknown_project')
  }
  expect((await outbox.send(draftOf('usb-port', 'loose'))).kind).toBe('filed')
  expect(sent.map(({ body }) => body.project_id)).toEqual(['p1', 'p2'])
})

test('what was refused while it waited says so, and does not hold up the rest', async () => {
  const { outbox, drafts, server, said } = parts()
  const [bad, good] = [draftOf('gone', 'x', { state: 'waiting' }), draftOf('hdmi', 'y', { state: 'waiting' })]
  drafts.keep(bad)
  drafts.keep(good)
  let first = true
  server.fails = () => {
    if (!first) return undefined
    first = false
    return refused('invalid_body', { section_id: 'is not on this board' })
  }
  await outbox.flush()
  expect(said).toEqual(['refused gone', 'filed hdmi'])
  expect(outbox.refusals.get(bad.key)?.section_id).toContain('not on the board any more')
  expect(drafts.list).toEqual([{ ...bad, state: 'typing' }])
})
