import { sql } from 'drizzle-orm'
import type { Board, Retired } from '../board/board.ts'
import { withRetired } from '../board/retired.ts'
import type { Database } from '../db/database.ts'
import { sections, sectionTotals } from '../db/schema.ts'

/** Writes down what the sections of the board are called, and which have left it. */
export async function rememberSections(db: Database, board: Board): Promise<void> {
  const there = JSON.stringify([...board.sections.values()])
  await db.transaction(async queries => {
    await queries.execute(sql`insert into ${sections} (id, label)
      select id, label from json_to_recordset(${there}::text::json) as there(id text, label text) order by id
      on conflict (id) do update set label = excluded.label, last_day = null
      where ${sections.label} <> excluded.label or ${sections.lastDay} is not null`)
    await queries.execute(sql`update ${sections} set last_day = (now() at time zone 'UTC')::date
      where last_day is null and id not in (
        select id from json_to_recordset(${there}::text::json) as there(id text))`)
  })
}

/** The board, with those that have left it and still have defects. */
export async function withMemory(db: Database, board: Board): Promise<Board> {
  const left = await db.read(queries =>
    queries.execute<Record<keyof Retired, string>>(sql`select id, label,
      first_day::text as "firstDay", coalesce(last_day, current_date)::text as "lastDay"
      from ${sections} where exists (select 1 from ${sectionTotals} where section_id = ${sections.id}) order by id`),
  )
  return withRetired(
    board,
    left.filter(({ id }) => !board.sections.has(id)),
  )
}
