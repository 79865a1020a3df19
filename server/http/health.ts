import { Elysia, t } from 'elysia'
import type { Deps } from '../deps.ts'

const Health = t.Object({ status: t.String(), database: t.String() })

export const healthRoutes = ({ db }: Pick<Deps, 'db'>, isDraining: () => boolean) =>
  new Elysia({ name: 'health' }).get(
    '/api/health',
    async ({ query, status }) => {
      if (query.live !== undefined) return { status: 'ok', database: 'unasked' }
      if (isDraining()) return status(503, { status: 'draining', database: 'unasked' })
      const database = await db.health()
      return database === 'ok' ? { status: 'ok', database } : status(503, { status: 'unavailable', database })
    },
    { query: t.Object({ live: t.Optional(t.String()) }), response: { 200: Health, 503: Health } },
  )
