import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  date,
  index,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

/** The one lower-casing: the same on PostgreSQL, on PGlite and under every locale. */
export const lower = (text: AnyPgColumn | string) => sql<string>`lower(${text} collate "und-x-icu")`

const time = (name: string) => timestamp(name, { precision: 3, withTimezone: true })

export const projects = pgTable(
  'projects',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  t => [uniqueIndex('projects_lower_name').on(lower(t.name))],
)

/** Append-only. */
export const defects = pgTable(
  'defects',
  {
    id: uuid('id').primaryKey(),
    sectionId: text('section_id').notNull(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id),
    verbatim: text('verbatim').notNull(),
    reporter: text('reporter').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    idempotencyKey: text('idempotency_key'),
  },
  t => [
    // Read backwards for "newest first".
    index('defects_section_feed').on(t.sectionId, t.createdAt, t.id),
    index('defects_feed').on(t.createdAt, t.id),
    index('defects_project_feed').on(t.projectId, t.createdAt, t.id),
    // Without a column of its own, which would write the table anew; at once, so that no report pays for those before it.
    index('defects_words')
      .using('gin', sql`searched_words(searched_text(${t.verbatim}))`)
      .with({ fastupdate: false }),
    uniqueIndex('defects_idempotency')
      .on(t.reporter, t.idempotencyKey)
      .where(sql`idempotency_key is not null`),
  ],
)

/**
 * Counts kept by a trigger in the transaction of the insert. `slot` spreads concurrent writers over
 * several rows, so that two reports on one section need not wait for each other's commit.
 */
export const sectionTotals = pgTable(
  'section_totals',
  {
    sectionId: text('section_id').notNull(),
    slot: smallint('slot').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  t => [primaryKey({ columns: [t.sectionId, t.slot] })],
)

/** The same by day (UTC), for counts since a day. */
export const sectionDays = pgTable(
  'section_days',
  {
    day: date('day').notNull(),
    sectionId: text('section_id').notNull(),
    slot: smallint('slot').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  t => [primaryKey({ columns: [t.day, t.sectionId, t.slot] })],
)

/** As `sectionTotals`, for each project of its own. */
export const projectTotals = pgTable(
  'project_totals',
  {
    projectId: uuid('project_id').notNull(),
    sectionId: text('section_id').notNull(),
    slot: smallint('slot').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  t => [primaryKey({ columns: [t.projectId, t.sectionId, t.slot] })],
)

/** As `sectionDays`, for each project of its own. */
export const projectDays = pgTable(
  'project_days',
  {
    projectId: uuid('project_id').notNull(),
    day: date('day').notNull(),
    sectionId: text('section_id').notNull(),
    slot: smallint('slot').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  t => [
    primaryKey({ columns: [t.projectId, t.day, t.sectionId, t.slot] }),
    index('project_days_day').on(t.day),
  ],
)

/** Ids of projects that went into another one: a report that is sent again may still name them. */
export const projectAliases = pgTable('project_aliases', {
  id: uuid('id').primaryKey(),
  projectId: uuid('project_id')
    .notNull()
    .references(() => projects.id),
})

/** What each section was last called, and since when and until when it is on the board. */
export const sections = pgTable('sections', {
  id: text('id').primaryKey(),
  label: text('label').notNull(),
  firstDay: date('first_day').notNull().default(sql`(now() at time zone 'UTC')::date`),
  /** the day on which it was missing for the first time; null while it is there */
  lastDay: date('last_day'),
})

/** Sessions of this address, or of everybody (`*`), that began until then are no longer accepted. */
export const sessionCutoffs = pgTable('session_cutoffs', {
  email: text('email').primaryKey(),
  endedBefore: time('ended_before').notNull(),
})

export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    endpoint: text('endpoint').primaryKey(),
    p256dh: text('p256dh').notNull(),
    auth: text('auth').notNull(),
    ownerEmail: text('owner_email').notNull(),
    vapidPublicKey: text('vapid_public_key').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    lastOutcome: text('last_outcome'),
    lastOutcomeAt: time('last_outcome_at'),
  },
  t => [index('push_subscriptions_owner').on(t.ownerEmail, t.vapidPublicKey, t.createdAt)],
)
