import { type FieldFault, Refusal } from '../errors.ts'
import { BODY_LIMIT } from './gate.ts'

const DEEPEST = 16
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The one body parser: JSON in UTF-8, at most 64 KiB, whatever the media type's parameters say. */
export async function readJson({ request }: { request: Request }): Promise<unknown> {
  const bytes = await request.arrayBuffer().catch(cutOff)
  if (bytes.byteLength > BODY_LIMIT) throw new Refusal('body_too_large')
  const text = decodedBody(bytes)
  if (nestedTooDeep(text))
    throw new Refusal('invalid_body', [{ field: 'body', message: 'is nested too deeply' }])
  try {
    return JSON.parse(text, printable)
  } catch {
    throw new Refusal('malformed_json')
  }
}

/** Elysia prints the value that breaks a rule, and fails at an object whose `toString` is no function. */
const printable = (name: string, value: unknown) => (name === 'toString' ? undefined : value)

function decodedBody(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Refusal('malformed_json')
  }
}

/** Thousands of nested brackets cost seconds in whoever walks or prints them; no body of ours needs more than three. */
function nestedTooDeep(json: string): boolean {
  let depth = 0
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (quoted) {
      if (character === '\\') i++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '[' || character === '{') {
      if (++depth > DEEPEST) return true
    } else if (character === ']' || character === '}') depth--
  }
  return false
}

function cutOff(): never {
  throw new Refusal('malformed_request')
}

/** A misspelt or doubled parameter is a fault, not a default. */
export function checkQuery(search: string, known: ReadonlySet<string>): void {
  if (search.length < 2) return
  const seen = new Set<string>()
  const faults: FieldFault[] = []
  for (const pair of search.slice(1).split('&')) {
    if (faults.length === 10) break
    const [rawName = ''] = pair.split('=', 1)
    const name = decoded(rawName)
    const field = (name ?? rawName).slice(0, 40)
    if (name === undefined || decoded(pair) === undefined) faults.push({ field, message: 'is not UTF-8' })
    else if (!known.has(name)) faults.push({ field, message: 'is not a parameter of this address' })
    else if (seen.has(name)) faults.push({ field, message: 'is given more than once' })
    seen.add(name ?? rawName)
  }
  if (faults.length) throw new Refusal('invalid_query', faults)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
