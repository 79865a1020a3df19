import { t } from 'elysia'

export const SessionAnswer = t.Object({
  user: t.Nullable(t.Object({ email: t.String(), is_owner: t.Boolean() })),
  expires_at: t.Optional(t.String({ format: 'date-time' })),
  push: t.Optional(
    t.Nullable(t.Object({ public_key: t.String() }), {
      description: 'For the owner alone; null when push is off.',
    }),
  ),
})
export type SessionAnswer = typeof SessionAnswer.static
