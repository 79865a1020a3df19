/**
 * Every place where this front works around Elysia, here and nowhere else. Seen with elysia 1.4.30;
 * issues are those of github.com/elysiajs/elysia, "none" where nobody has reported it. What needs no
 * code: hooks run after routing and parsing, and an exception in `onRequest` answers 200 (none), so
 * the gate stands in front of the framework; a wrong method is 404 (#682), so the gate answers 405.
 */
import { ParseError, type TSchema, ValidationError } from 'elysia'
import { contextOf, setContext } from '../auth/guards.ts'
import { type FieldFault, Refusal } from '../errors.ts'
import { JSON_TYPE, whyInvalid } from '../wire.ts'

interface ElysiaRoute {
  method: string
  path: string
  hooks?: { query?: { properties?: object } }
}

/**
 * The path is cut from the URL after its eleventh character, which loses some of it for hosts of less
 * than four characters, and all of it without a Host (none).
 */
export function withLongHost(request: Request, target: string): Request {
  if (request.url.indexOf('/', 8) >= 11) return request
  const { method, headers } = request
  const copy = new Request(`http://short.host${target}`, { method, headers })
  setContext(copy, contextOf(request))
  return copy
}

/** The body is read before Elysia, whose own choice of a parser looks at one character of the type (none). */
export const bodyRead = ({ request }: { request: Request }) => contextOf(request).body

/** A value that breaks its schema is printed, which fails where `toString` is no function (none). */
export const withoutToString = (name: string, value: unknown) => (name === 'toString' ? undefined : value)

/**
 * Parameters that no schema names are dropped and repeated ones overwritten in silence (none), so we check. `check` is
 * made once a route from the names that it takes.
 */
export function queryChecksOf<Check>(
  routes: readonly ElysiaRoute[],
  check: (names: ReadonlySet<string>) => Check,
): (method: string, path: string) => Check {
  const checks = new Map(
    routes.map(({ method, path, hooks }) => [
      `${method} ${path}`,
      check(new Set(Object.keys(hooks?.query?.properties ?? {}))),
    ]),
  )
  const none = check(new Set())
  // HEAD runs the handler of GET.
  return (method, path) => checks.get(`${method === 'HEAD' ? 'GET' : method} ${pathOf(path)}`) ?? none
}

/** `/sections/{id}` as Elysia writes it. */
export const pathOf = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/** Errors of parsing come wrapped; those of validation carry what was sent, even in production (none). */
export function ownError(error: unknown): unknown {
  if (error instanceof ParseError) return error.cause
  return error instanceof ValidationError ? refusalOf(error) : error
}

function refusalOf(error: ValidationError): Refusal {
  const faults = new Map<string, FieldFault>()
  for (const { path, schema, value } of error.all as { path: string; schema: TSchema; value: unknown }[]) {
    const field = path.replace(/^\//, '').replaceAll('/', '.') || 'body'
    if (!faults.has(field)) faults.set(field, { field, message: whyInvalid(schema, value) })
  }
  return new Refusal(error.type === 'query' ? 'invalid_query' : 'invalid_body', [...faults.values()])
}

/** Objects are sent under a spelling of the media type that is not the one of bytes of ours (none). */
export function withJsonType(response: Response): Response {
  const { headers } = response
  if (headers.get('content-type') === 'application/json;charset=utf-8') headers.set('content-type', JSON_TYPE)
  return response
}
