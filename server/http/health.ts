import { Elysia, t } from 'elysia'
import { ofEveryAnswer } from '../answer.ts'
import type { Deps } from '../deps.ts'
import { JSON_TYPE } from '../wire.ts'

const Health = t.Object({ status: t.String(), database: t.String() })

export const healthRoutes = ({ db }: Pick<Deps, 'db'>, isDraining: () => boolean) =>
  new Elysia({ name: 'health' }).get(
    '/api/health',
    async ({ status }) => {
      if (isDraining()) return status(503, { status: 'draining', database: 'unasked' })
      const database = await db.health()
      return database === 'ok' ? { status: 'ok', database } : status(503, { status: 'unavailable', database })
    },
    { query: t.Object({ live: t.Optional(t.String()) }), response: { 200: Health, 503: Health } },
  )

/** `live` is the one thing that can be asked of it: answered in front, at once, whatever waits behind. */
export const asksForLife = (path: string, search: string) => search !== '' && path === '/api/health'

export const alive = () => new Response(ALIVE, { headers })

const ALIVE = JSON.stringify({ status: 'ok', database: 'unasked' })
const headers = new Headers({ ...ofEveryAnswer, 'content-type': JSON_TYPE, 'cache-control': 'no-store' })
