import { Elysia, t } from 'elysia'
import type { Deps } from '../deps.ts'

const Health = t.Object({ status: t.String(), database: t.String() })

export const healthRoutes = ({ db }: Pick<Deps, 'db'>) =>
  new Elysia({ name: 'health' }).get(
    '/api/health',
    async ({ query, status }) => {
      if (query.live !== undefined) return { status: 'ok', database: 'unasked' }
      if (await db.ping()) return { status: 'ok', database: 'ok' }
      return status(503, { status: 'unavailable', database: 'unreachable' })
    },
    { query: t.Object({ live: t.Optional(t.String()) }), response: { 200: Health, 503: Health } },
  )
