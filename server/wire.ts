import { FormatRegistry, type TObject, type TProperties } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type TSchema, t } from 'elysia'
import type { FieldFault } from './errors.ts'
import { nameFault, textFault } from './text.ts'
import { PROJECT_NAME_LIMIT, VERBATIM_LIMIT } from './vocabulary.ts'

/** The rules of the wire: one function a rule, which says what is wrong or nothing. */
const rules: Record<string, (value: string) => string | undefined> = {
  verbatim: value => textFault(value, VERBATIM_LIMIT),
  'project-name': value => nameFault(value, PROJECT_NAME_LIMIT),
  reporter: value => nameFault(value, 254),
  'idempotency-key': value =>
    /^[\x21-\x7E]{1,64}$/.test(value) ? undefined : 'must be 1 to 64 visible ASCII characters, given once',
  'canonical-uuid': value =>
    isUuid(value) ? undefined : 'must be a UUID such as 0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
  'search-text': value =>
    value.isWellFormed() && !value.includes('\0') && value.length <= 500
      ? undefined
      : 'must be text of at most 500 characters',
  'search-words': value =>
    value.isWellFormed() && !value.includes('\0') && /[^\s\u0085]/.test(value) && [...value].length <= 200
      ? undefined
      : 'must be 1 to 200 characters with a word in them',
  'limit-200': value => between(value, 1, 200),
  'limit-1000': value => between(value, 1, 1_000),
  'days-back': value =>
    /^(?:0|[1-9]\d{0,2})$/.test(value) && Number(value) <= 366
      ? undefined
      : 'must be a whole number from 0 to 366',
  days: value =>
    /^[1-9]\d{0,2}d$/.test(value) && Number.parseInt(value, 10) <= 366
      ? undefined
      : 'must be a number of days like 7d, from 1d to 366d',
}

export const isUuid = (text: string) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)

function between(value: string, least: number, most: number) {
  const plain = /^[1-9]\d{0,3}$/.test(value) && Number(value) >= least && Number(value) <= most
  return plain ? undefined : `must be a whole number from ${least} to ${most}`
}

for (const [name, fault] of Object.entries(rules)) {
  FormatRegistry.Set(name, value => fault(value) === undefined)
}

export const Text = (format: keyof typeof rules & string, description?: string) =>
  t.String({ format, ...(description ? { description } : {}) })

/** Elysia's `t.UnionEnum` would fill in its first word where none is given. */
export const OneOf = <const W extends string>(words: readonly W[]) =>
  t.Unsafe<W>(t.Union(words.map(word => t.Literal(word))))

/** Of a body, in bytes. */
export const BODY_LIMIT = 64 * 1024
export const JSON_TYPE = 'application/json; charset=utf-8'

/** A body: properties that nobody asked for are ignored. */
export const Body = <T extends TProperties>(properties: T) =>
  t.Object(properties, { additionalProperties: true })

/** The same judgement for callers that no route stands in front of. */
export function faultsOf(schema: TObject, value: object): FieldFault[] {
  const values = value as Record<string, unknown>
  return Object.entries(schema.properties).flatMap(([field, property]) => {
    const value = values[field]
    const absent = value === undefined && !schema.required?.includes(field)
    const message = absent ? undefined : faultOf(property, value)
    return message === undefined ? [] : [{ field, message }]
  })
}

export const faultOf = (schema: TSchema, value: unknown): string | undefined =>
  Value.Check(schema, value) ? undefined : whyInvalid(schema, value)

/** Why a value breaks its schema, in words that a person can act on. */
export function whyInvalid(schema: TSchema, value: unknown): string {
  if (value === undefined) return 'is missing'
  if (schema.type === 'string' && typeof value !== 'string') return 'must be text'
  if (schema.type === 'object') return 'must be an object'
  const words = (schema.anyOf as TSchema[] | undefined)?.map(option => option.const)
  if (words?.every(word => typeof word === 'string')) return `must be one of ${words.join(', ')}`
  const fault = schema.format && typeof value === 'string' ? rules[schema.format]?.(value) : undefined
  return fault ?? 'is not acceptable'
}
