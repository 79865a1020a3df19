import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

/**
 * A backup is gzip over lines of JSON: a header, one line a row, a trailer with the number of rows and
 * the SHA-256 of every line before it. A project stands before the defects that refer to it.
 */
export const FORMAT = 1
const MOST_LINE_BYTES = 1 << 20

const strict = { additionalProperties: false }
const Id = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' })
const Time = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' })
const Text = Type.String({ pattern: '^[^\\u0000]*$' })
const Count = Type.Integer({ minimum: 0 })
const orNull = <T extends typeof Text | typeof Time>(schema: T) => Type.Union([schema, Type.Null()])

const Project = Type.Object({ id: Id, name: Text, created_at: Time }, strict)
const Defect = Type.Object(
  {
    id: Id,
    section_id: Text,
    project_id: Id,
    verbatim: Text,
    reporter: Text,
    created_at: Time,
    idempotency_key: orNull(Text),
  },
  strict,
)
const Device = Type.Object(
  {
    endpoint: Text,
    p256dh: Text,
    auth: Text,
    owner_email: Text,
    vapid_public_key: Text,
    created_at: Time,
    last_outcome: orNull(Text),
    last_outcome_at: orNull(Time),
  },
  strict,
)
const Totals = Type.Object({ projects: Count, defects: Count, devices: Count }, strict)
const Header = Type.Object({
  faultline: Type.Literal('backup'),
  format: Type.Integer(),
  version: Type.String(),
  created_at: Time,
  rows: Totals,
})
const Trailer = Type.Object({ end: Totals, sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }, strict)
const Line = Type.Union([
  Type.Object({ defect: Defect }, strict),
  Type.Object({ project: Project }, strict),
  Type.Object({ device: Device }, strict),
])

export type Totals = Static<typeof Totals>
export type Header = Static<typeof Header>
export type Line = Static<typeof Line>
export type ProjectRow = Static<typeof Project>
export type DefectRow = Static<typeof Defect>
export type DeviceRow = Static<typeof Device>

export interface Summary {
  header: Header
  rows: Totals
  sha256: string
}

const checks = {
  header: TypeCompiler.Compile(Header),
  line: TypeCompiler.Compile(Line),
  trailer: TypeCompiler.Compile(Trailer),
}

/** The file is not a whole and sound backup. */
export class BrokenBackup extends Error {}

export const total = (rows: Totals) => rows.projects + rows.defects + rows.devices
export const kindOf = (line: Line): keyof Totals =>
  'defect' in line ? 'defects' : 'project' in line ? 'projects' : 'devices'

/** Every row in turn, each checked; the summary once all of it, up to the trailer, was found sound. */
export async function* readBackup(
  path: string,
  onHeader?: (header: Header) => void,
): AsyncGenerator<Line, Summary> {
  const hash = new Bun.CryptoHasher('sha256')
  const rows: Totals = { projects: 0, defects: 0, devices: 0 }
  const projects = new Set<string>()
  let header: Header | undefined
  let end: Static<typeof Trailer> | undefined
  let number = 0
  for await (const bytes of linesOf(path)) {
    const at = `line ${++number}`
    if (end) throw new BrokenBackup(`${at}: something follows the end`)
    const value = parse(bytes, at)
    if (!header) {
      header = readHeader(value)
      onHeader?.(header)
    } else if (checks.trailer.Check(value)) {
      end = value
      continue
    } else {
      if (!checks.line.Check(value)) throw new BrokenBackup(`${at} is not a row of a backup`)
      if (!isSound(value, projects)) throw new BrokenBackup(`${at} is a row that cannot be`)
      rows[kindOf(value)]++
      yield value
    }
    hash.update(bytes).update('\n')
  }
  const sha256 = hash.digest('hex')
  if (!header || !end) throw new BrokenBackup('its end is missing')
  if (end.sha256 !== sha256) throw new BrokenBackup('its checksum does not match')
  if (!Bun.deepEquals(end.end, rows)) throw new BrokenBackup('rows are missing')
  return { header, rows, sha256 }
}

function readHeader(value: unknown): Header {
  if (!checks.header.Check(value)) throw new BrokenBackup('it is not a backup of Faultline')
  if (value.format !== FORMAT) {
    throw new BrokenBackup(
      `it was written by Faultline ${value.version}, in a format this version does not know`,
    )
  }
  return value
}

function isSound(line: Line, projects: Set<string>): boolean {
  if ('project' in line) projects.add(line.project.id)
  if ('defect' in line && !projects.has(line.defect.project_id)) return false
  const row = 'defect' in line ? line.defect : 'project' in line ? line.project : line.device
  return Object.entries(row).every(([name, value]) =>
    value === null ? true : name.endsWith('_at') ? isTime(value) : value.isWellFormed(),
  )
}

const isTime = (text: string) => {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text
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
