import { expect, test } from 'bun:test'
import { pathOf } from '../../server/http/elysia.ts'
import { apiRoutes, createAddressBook, pageRoutes } from '../../server/http/routes.ts'
import { testConfig } from '../support/config.ts'
import { httpApp } from '../support/routes.ts'

const config = testConfig({ OAUTH_PROVIDER: 'acme' })
const addresses = createAddressBook(config, ['/assets/a.js'], [])

test('the table of addresses is what the framework answers, both ways', () => {
  const table = apiRoutes.flatMap(([methods, path]) =>
    methods
      .split(' ')
      .filter(method => method !== 'HEAD')
      .map(method => `${method} ${pathOf(path.replace('{provider}', 'acme'))}`),
  )
  const framework = httpApp({ config, db: {} as never })
    .frameworkRoutes()
    .map(({ method, path }) => `${method} ${path}`)
  expect(table.toSorted()).toEqual(framework.toSorted())
})

test('every address says in a few words what it is for', () => {
  for (const [, path, , what] of [...apiRoutes, ...pageRoutes]) {
    expect([path, what.length > 5 && what.length < 80]).toEqual([path, true])
  }
})

test('each path is found with what its methods need', () => {
  const needs = (path: string) => Object.fromEntries(addresses.find(path)?.audiences ?? [])
  expect(needs('/api/defects')).toEqual({ GET: 'session', HEAD: 'session', POST: 'session' })
  expect(needs('/api/subscriptions')).toEqual({ POST: 'owner', DELETE: 'owner' })
  expect(needs('/auth/acme/callback')).toEqual({ GET: 'public' })
  expect(needs('/assets/a.js')).toEqual({ GET: 'public', HEAD: 'public' })
  expect(addresses.find('/sections/usb-port')?.path).toBe('/sections/{id}')
})

test('only the path itself is found', () => {
  for (const path of [
    '/auth/test',
    '/auth/{provider}',
    '/sections',
    '/sections/',
    '/sections/a/b',
    '/x/sections/a',
    '/api/defects/',
  ]) {
    expect([path, addresses.find(path)]).toEqual([path, undefined])
  }
})
