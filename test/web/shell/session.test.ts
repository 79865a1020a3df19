import '../page.ts'
import { beforeEach, expect, test } from 'bun:test'
import { counts } from '../../../web/src/lib/api.ts'
import { Session } from '../../../web/src/shell/session.svelte.ts'
import { until } from '../../support/until.ts'
import { hidden, left, memory, moved, newPage, serve, show, writtenElsewhere } from '../page.ts'

const ALICE = 'alice@example.com'
const SIGNED_IN = 'faultline.signed-in'

let email: string | null | undefined
let asked: { path: string; person: string | null }[]
beforeEach(() => {
  newPage()
  asked = []
  email = ALICE
  serve((path, request) => {
    const person = request.headers.get('x-signed-in-as')
    asked.push({ path, person })
    if (email === undefined) return undefined
    if (path === '/auth/logout') return { json: null, status: 303 }
    if (path === '/api/session') return { json: { user: email && { email, is_owner: false } } }
    return email === person ? { json: {} } : { status: 401, json: {} }
  })
})

async function begun(): Promise<Session> {
  const session = new Session()
  await session.begin()
  return session
}

test('nothing is visible before the server has said whose page it is; then every request names them', async () => {
  const session = new Session()
  expect([session.standing, session.visible]).toEqual(['asked', false])
  await session.begin()
  expect([session.standing, session.visible, session.person?.email]).toEqual(['here', true, ALICE])
  await counts()
  expect(asked.at(-1)).toEqual({ path: '/api/defects/counts', person: ALICE })
  expect(memory.getItem(SIGNED_IN)).toBe(ALICE)
})

test('who has no session is led to sign in', async () => {
  email = null
  const session = await begun()
  expect([left, session.visible]).toEqual([['/login'], false])
})

test('without an answer nothing is visible, until there is one', async () => {
  email = undefined
  const session = await begun()
  expect(session.standing).toBe('unreachable')
  email = ALICE
  await session.begin()
  expect(session.standing).toBe('here')
})

test('a session that ends leaves the page as it is', async () => {
  const session = await begun()
  email = null
  await counts().catch(() => {})
  expect([session.standing, session.visible]).toEqual(['ended', true])
})

test('somebody else’s session starts the page anew', async () => {
  const session = await begun()
  email = 'bob@example.com'
  await counts().catch(() => {})
  await until(() => left.length > 0)
  expect([left, session.visible]).toEqual([['reload'], false])
})

test('another tab’s sign-out hides at once, without a request; the same person is shown again', async () => {
  const session = await begun()
  const before = asked.length
  writtenElsewhere(SIGNED_IN, null)
  expect([session.standing, session.visible, asked.length]).toEqual(['signed-out', false, before])
  writtenElsewhere(SIGNED_IN, ALICE)
  await until(() => session.standing === 'here')
  writtenElsewhere(SIGNED_IN, 'bob@example.com')
  expect([session.visible, left]).toEqual([false, ['reload']])
})

test('a page that was kept is hidden, and shown to the same person alone', async () => {
  const session = await begun()
  moved('pagehide')
  expect(hidden()).toBe(true)
  moved('pageshow')
  expect(hidden()).toBe(true)
  await until(() => !hidden())
  expect(session.standing).toBe('here')
  moved('pagehide')
  email = null
  moved('pageshow')
  await until(() => !hidden())
  expect([session.standing, left]).toEqual(['signed-out', ['/login']])
})

test('a page that was kept shows nothing while the server cannot be asked', async () => {
  const session = await begun()
  moved('pagehide')
  email = undefined
  moved('pageshow')
  await until(() => !hidden())
  expect(session.visible).toBe(false)
})

test('a page that comes to the front asks whose it is', async () => {
  const session = await begun()
  email = null
  show()
  await until(() => session.standing === 'ended')
})

test('signing out that does not reach the server is taken back', async () => {
  const session = await begun()
  email = undefined
  expect(await session.signOut().catch(error => error.kind)).toBe('offline')
  expect([session.standing, memory.getItem(SIGNED_IN), left]).toEqual(['here', ALICE, []])
})
