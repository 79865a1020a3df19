import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { FormatRegistry, type Static, type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Value } from '@sinclair/typebox/value'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { completed, FORMAT, type Kind, kindNames, kinds, noRows, type Row, type Totals } from './tables.ts'

/**
 * A backup is gzip over lines of JSON: a header, one line a row, a trailer with the number of rows and
 * the SHA-256 of every line before it. A project stands before the defects that refer to it.
 */
const MOST_LINE_BYTES = 1 << 20

const isTime = (text: string) => {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text
}
FormatRegistry.Set('backup-time', isTime)
FormatRegistry.Set('backup-text', text => text.isWellFormed() && !text.includes('\0'))

const strict = { additionalProperties: false }
const Time = Type.String({ format: 'backup-time' })
const Count = Type.Integer({ minimum: 0 })

/** How a column is written. */
const schemas: Record<string, TSchema> = {
  PgUUID: Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' }),
  PgText: Type.String({ format: 'backup-text' }),
  PgTimestamp: Time,
  PgDateString: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
  PgInteger: Type.Integer(),
  PgBoolean: Type.Boolean(),
}

function schemaOf({ name, columnType, enumValues, notNull }: AnyPgColumn): TSchema {
  const schema = enumValues?.length
    ? Type.Union(enumValues.map(value => Type.Literal(value)))
    : schemas[columnType]
  if (!schema) throw new Error(`a backup cannot hold ${name}, which is a ${columnType}`)
  return notNull ? schema : Type.Union([schema, Type.Null()])
}

/** The kinds that files of this format have. */
const kindsOf = (format: number) => kindNames.filter(kind => kinds[kind].since <= format)

/** A line of a row, as files of this format have it. */
function lineSchema(format: number): TSchema {
  const lines = kindsOf(format).map(kind => {
    const known = kinds[kind].columns.filter(({ since }) => since <= format)
    const row = Type.Object(
      Object.fromEntries(known.map(({ column }) => [column.name, schemaOf(column)])),
      strict,
    )
    return Type.Object({ [kind]: row }, strict)
  })
  return Type.Union(lines)
}

const totalsSchema = (format: number) =>
  Type.Object(Object.fromEntries(kindsOf(format).map(kind => [kinds[kind].plural, Count])), strict)

const Start = Type.Object({
  faultline: Type.Literal('backup'),
  format: Type.Integer(),
  version: Type.String(),
  created_at: Time,
  rows: Type.Object({}),
})
const Trailer = Type.Object(
  { end: Type.Object({}), sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) },
  strict,
)

export type Header = Static<typeof Start> & { rows: Totals }
export interface Line {
  kind: Kind
  row: Row
}

export interface Summary {
  header: Header
  rows: Totals
  sha256: string
}

const checks = { start: TypeCompiler.Compile(Start), trailer: TypeCompiler.Compile(Trailer) }

/** The file is not a whole and sound backup. */
export class BrokenBackup extends Error {}

/** A line of the file: the row under the name of its kind. */
const lineOf = (value: object) => {
  const [[kind, row]] = Object.entries(value) as [[Kind, Row]]
  return { kind, row }
}

/** Every row in turn, each checked; the summary once all of it, up to the trailer, was found sound. */
export async function* readBackup(
  path: string,
  onHeader?: (header: Header) => void,
): AsyncGenerator<Line, Summary> {
  const hash = new Bun.CryptoHasher('sha256')
  const rows = noRows()
  const projects = new Set<unknown>()
  let header: Header | undefined
  let lines: TypeCheck<TSchema> | undefined
  let end: Static<typeof Trailer> | undefined
  let number = 0
  for await (const bytes of linesOf(path)) {
    const at = `line ${++number}`
    if (end) throw new BrokenBackup(`${at}: something follows the end`)
    const value = parse(bytes, at)
    if (!header || !lines) {
      header = readHeader(value)
      lines = TypeCompiler.Compile(lineSchema(header.format))
      onHeader?.(header)
    } else if (checks.trailer.Check(value)) {
      end = value
      continue
    } else {
      if (!lines.Check(value)) throw new BrokenBackup(`${at} is not a row of a backup`)
      const { kind, row } = lineOf(value as object)
      if (kind === 'project') projects.add(row.id)
      if (kind === 'defect' && !projects.has(row.project_id)) {
        throw new BrokenBackup(`${at} is a defect of no project`)
      }
      rows[kinds[kind].plural]++
      yield { kind, row: completed(row, kinds[kind].columns, header.format) }
    }
    hash.update(bytes).update('\n')
  }
  const sha256 = hash.digest('hex')
  if (!header || !end) throw new BrokenBackup('its end is missing')
  if (end.sha256 !== sha256) throw new BrokenBackup('its checksum does not match')
  if (!Bun.deepEquals({ ...noRows(), ...end.end }, rows)) throw new BrokenBackup('rows are missing')
  return { header, rows, sha256 }
}

function readHeader(value: unknown): Header {
  if (!checks.start.Check(value)) throw new BrokenBackup('it is not a backup of Faultline')
  if (value.format < 1 || value.format > FORMAT) {
    throw new BrokenBackup(
      `it was written by Faultline ${value.version}, in a format this version does not know`,
    )
  }
  if (!Value.Check(totalsSchema(value.format), value.rows))
    throw new BrokenBackup('it says nothing of its rows')
  return { ...value, rows: { ...noRows(), ...value.rows } }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Uint8Array, at: string): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new BrokenBackup(`${at} is not JSON`)
  }
}

async function* linesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path)
  const gunzip = createGunzip()
  file.on('error', error => gunzip.destroy(error))
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of file.pipe(gunzip) as AsyncIterable<Buffer>) {
      let buffer = rest.length ? Buffer.concat([rest, chunk]) : chunk
      for (let end = buffer.indexOf(10); end >= 0; end = buffer.indexOf(10)) {
        yield buffer.subarray(0, end)
        buffer = buffer.subarray(end + 1)
      }
      rest = buffer
      if (rest.length > MOST_LINE_BYTES) throw new BrokenBackup('a line is too long')
    }
  } catch (error) {
    throw isCompression(error) ? new BrokenBackup('it is damaged or cut short') : error
  } finally {
    file.destroy()
    gunzip.destroy()
  }
  if (rest.length) throw new BrokenBackup('it is cut short')
}

const isCompression = (error: unknown) => /^Z_|^ERR_ZLIB/.test(String((error as { code?: unknown }).code))
