import { beforeEach, describe, expect, test } from 'bun:test'
import { newPage } from '../page.ts'
import { draftOf, offline, parts, refused, signedOut } from './parts.ts'

beforeEach(newPage)

async function written(words = 'loose') {
  const all = parts()
  await all.form.open('usb-port')
  all.form.change({ project: 'Hinge rework' })
  all.form.change({ verbatim: words })
  return all
}

describe('a draft', () => {
  test('is kept letter by letter, and not at all when nothing is typed', async () => {
    const { form, drafts } = await written()
    expect(drafts.of('usb-port')).toMatchObject([{ body: { verbatim: 'loose' }, project: 'Hinge rework' }])
    form.change({ verbatim: '  ' })
    expect(drafts.list).toEqual([])
  })

  test('is there again under its key after closing, until it is discarded', async () => {
    const { form, drafts } = await written()
    const { key } = form.draft!
    form.close()
    expect(form.phase).toBe('closed')
    await form.open('usb-port')
    expect(form.draft).toMatchObject({ key, body: { verbatim: 'loose' } })
    expect(form.restored).toBe(true)
    form.discard()
    expect([form.restored, form.draft?.body.verbatim, drafts.list.length]).toEqual([false, '', 0])
  })

  test('moves to another section as it is', async () => {
    const { form, drafts } = await written()
    form.change({ section_id: 'hdmi' })
    expect(form.section).toBe('hdmi')
    expect(drafts.list).toMatchObject([{ body: { section_id: 'hdmi', verbatim: 'loose' } }])
  })

  test('is the one that was open here, although another tab wrote a newer one; that one is told of', async () => {
    const { form, drafts } = await written('mine')
    drafts.keep(draftOf('usb-port', 'of the other tab'))
    expect(form.others).toBe(1)
    form.close()
    await form.open('usb-port')
    expect(form.draft?.body.verbatim).toBe('mine')
    form.discard()
    form.close()
    await form.open('usb-port')
    expect([form.draft?.body.verbatim, form.others]).toEqual(['of the other tab', 0])
  })

  test('opened twice at once is opened once', async () => {
    const { form } = parts()
    await Promise.all([form.open('usb-port'), form.open('usb-port')])
    expect([form.phase, form.elsewhere]).toEqual(['writing', false])
  })
})

describe('sending', () => {
  test('what is missing or too much is said by field, and goes with its mending', async () => {
    const { form, sent } = parts()
    await form.open('usb-port')
    await form.send()
    expect(Object.keys(form.faults)).toEqual(['project', 'verbatim'])
    form.change({ verbatim: '😀'.repeat(5_003) })
    expect([Object.keys(form.faults), form.left]).toEqual([['project'], -3])
    form.change({ project: 'Hinge rework' })
    await form.send()
    expect(form.faults).toEqual({ verbatim: 'This is 3 characters too long.' })
    expect(sent).toEqual([])
  })

  test('closes with the receipt, and nothing is left', async () => {
    const { form, drafts, said } = await written()
    const sending = form.send()
    expect(form.phase).toBe('sending')
    form.change({ verbatim: 'too late' })
    form.close()
    await form.open('hdmi')
    await sending
    expect([form.phase, form.draft, drafts.list]).toEqual(['closed', undefined, []])
    expect(said).toEqual(['filed usb-port', 'closed usb-port'])
  })

  test('without an answer closes and leaves it waiting', async () => {
    const { form, drafts, server, said } = await written()
    server.fails = offline
    await form.send()
    expect([form.phase, drafts.waiting.length]).toEqual(['closed', 1])
    expect(said).toEqual(['waits usb-port', 'closed usb-port'])
  })

  test('what waits is not sent while it is open, and goes on waiting when it is closed', async () => {
    const { form, drafts, outbox, server, sent } = await written()
    server.fails = offline
    await form.send()
    await form.open('usb-port')
    await outbox.flush()
    expect([sent.length, drafts.waiting.length]).toEqual([1, 0])
    form.change({ verbatim: 'written on' })
    form.close()
    expect(drafts.waiting).toMatchObject([{ body: { verbatim: 'written on' } }])
  })

  test('over the end of the session keeps it open, to be found open again', async () => {
    const { form, drafts, server } = await written()
    server.fails = signedOut
    await form.send()
    expect([form.phase, drafts.list[0]?.state]).toEqual(['writing', 'interrupted'])
  })

  test('refused shows what to mend, with the key for the next try', async () => {
    const { form, server, sent } = await written()
    server.fails = () => refused('idempotency_key_reused')
    await form.send()
    expect([form.phase, form.faults.form]).toEqual(['writing', expect.stringContaining('An earlier wording')])
    server.fails = undefined
    await form.send()
    expect(form.phase).toBe('closed')
    expect(sent[1]?.key).not.toBe(sent[0]!.key)
  })
})

test('what was wrong with a report that waited is there when it is opened', async () => {
  const { form, drafts, outbox, server } = parts()
  drafts.keep(draftOf('usb-port', 'x', { state: 'waiting' }))
  server.fails = () => refused('invalid_body', { verbatim: 'must not be blank' })
  await outbox.flush()
  await form.open('usb-port')
  expect(form.faults).toEqual({ verbatim: 'The description must not be blank.' })
})
