import { and, asc, desc, eq, notInArray, sql } from 'drizzle-orm'
import type { PushConfig } from '../config/read.ts'
import type { Database } from '../db/database.ts'
import { pushSubscriptions } from '../db/schema.ts'
import { Refusal } from '../errors.ts'
import type { Outcome } from './deliver.ts'
import { deviceName, storedForm } from './endpoint.ts'
import type { Subscription } from './model.ts'

type KeyConfig = Pick<PushConfig, 'ownerEmail' | 'vapid'>

export interface DeviceStatus {
  /** host and a short digest: the endpoint itself is a secret address */
  device: string
  subscribedAt: Date
  /** false: made for another owner or another VAPID key, so nothing is sent to it */
  inForce: boolean
  lastOutcome: string | null
  lastOutcomeAt: Date | null
}

const MOST_DEVICES = 10
const table = pushSubscriptions

/** Keeps the subscription for the owner and key in force; beyond ten devices the oldest gives way. */
export async function subscribe(
  db: Database,
  config: KeyConfig,
  { endpoint, p256dh, auth }: Subscription,
): Promise<{ isNew: boolean; displaced: string[] }> {
  const { ownerEmail, vapid } = config
  if (!vapid) throw new Refusal('push_off')
  const values = { p256dh, auth, ownerEmail, vapidPublicKey: vapid.publicKey }
  return db.transaction(async queries => {
    // One at a time: two that do not see each other's row would leave eleven.
    await queries.execute(sql`lock table ${table} in share row exclusive mode`)
    const known = await queries
      .update(table)
      .set(values)
      .where(eq(table.endpoint, endpoint))
      .returning({ endpoint: table.endpoint })
    if (known.length) return { isNew: false, displaced: [] }
    await queries.insert(table).values({ endpoint, ...values })
    // The new one itself stays, whatever the clock said when the others came.
    const newest = queries
      .select({ endpoint: table.endpoint })
      .from(table)
      .orderBy(desc(eq(table.endpoint, endpoint)), desc(inForce(config)), desc(table.createdAt))
      .limit(MOST_DEVICES)
    const displaced = await queries
      .delete(table)
      .where(notInArray(table.endpoint, newest))
      .returning({ endpoint: table.endpoint })
    return { isNew: true, displaced: displaced.map(({ endpoint }) => endpoint) }
  })
}

/** The endpoint that was removed, if it was there. */
export async function unsubscribe(db: Database, endpoint: string): Promise<string | undefined> {
  const stored = storedForm(endpoint)
  if (!stored) return undefined
  const removed = await db.write(queries =>
    queries.delete(table).where(eq(table.endpoint, stored)).returning({ endpoint: table.endpoint }),
  )
  return removed[0]?.endpoint
}

/** The devices that are sent to: made for this owner and for this VAPID key. */
export async function devicesInForce(db: Database, config: KeyConfig): Promise<Subscription[]> {
  if (!config.vapid) return []
  return db.read(queries =>
    queries
      .select({ endpoint: table.endpoint, p256dh: table.p256dh, auth: table.auth })
      .from(table)
      .where(inForce(config))
      .orderBy(asc(table.createdAt)),
  )
}

export async function deviceStatus(db: Database, config: KeyConfig): Promise<DeviceStatus[]> {
  const rows = await db.read(queries =>
    queries
      .select({
        endpoint: table.endpoint,
        subscribedAt: table.createdAt,
        inForce: sql<boolean>`${inForce(config)}`,
        lastOutcome: table.lastOutcome,
        lastOutcomeAt: table.lastOutcomeAt,
      })
      .from(table)
      .orderBy(asc(table.createdAt)),
  )
  return rows.map(({ endpoint, ...status }) => ({ device: deviceName(endpoint), ...status }))
}

const inForce = ({ ownerEmail, vapid }: KeyConfig) =>
  and(eq(table.ownerEmail, ownerEmail), eq(table.vapidPublicKey, vapid?.publicKey ?? ''))!

/** Keeps what became of the last push to a device; one that is gone is removed, nothing else ever is. */
export async function recordOutcome(db: Database, endpoint: string, { kind, said }: Outcome): Promise<void> {
  await db.write(queries =>
    kind === 'gone'
      ? queries.delete(table).where(eq(table.endpoint, endpoint))
      : queries
          .update(table)
          .set({ lastOutcome: `${kind}: ${said}`, lastOutcomeAt: sql`now()` })
          .where(eq(table.endpoint, endpoint)),
  )
}
