import { expect, test } from 'bun:test'
import { parsePostgresUrl } from '../../server/config/postgres-url.ts'

test('one host is handed on as it was written', () => {
  for (const url of [
    'postgres://u:p%40@db.internal/faultline?sslmode=verify-full',
    'postgresql://[::1]:5433/x',
  ]) {
    expect(parsePostgresUrl(url)?.url).toBe(url)
  }
})

test('of several hosts each has its own port, 5432 where none is written', () => {
  const parsed = parsePostgresUrl('postgres://u:p@one:5433,two,three:5434/x?target_session_attrs=primary')
  expect(parsed).toEqual({
    url: 'postgres://u:p@one:5433,two:5432,three:5434/x?target_session_attrs=primary',
    hosts: ['one:5433', 'two:5432', 'three:5434'],
  })
})

test.each([
  'mysql://one/x',
  'one/x',
  'postgres://one:5432,two:65536/x',
  'postgres://one,,two/x',
  'postgres://one,/x',
  'postgres://[::1],two/x',
  'postgres://one/x?target_session_attrs=any',
  'postgres://one,two/x?target_session_attrs=standby',
  'postgres://one/x?target_session_attrs=prefer-standby',
])('%s is refused', url => {
  expect(parsePostgresUrl(url)).toBeUndefined()
})
