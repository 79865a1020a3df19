import { DatabaseUnavailable } from '../errors.ts'
import { fileFault } from '../file-fault.ts'

const connectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ENOENT',
  'EACCES',
  'FailedToOpenSocket',
  '57P01',
  '57P02',
  '57P03',
])

/** SQLSTATE classes and states that mean "not now": overload, shutdown, time-outs, read-only, no access, closed for maintenance. */
const unavailable = /^(08|28|3D|53|57|58|25006|25P0|40001|40P01|55000|55P03|XX)/

export function sqlState(error: unknown): string | undefined {
  const code = (innermost(error) as { code?: unknown }).code
  return typeof code === 'string' ? code : undefined
}

/** Drizzle wraps the driver's error, and its message holds SQL and parameters: only the cause goes on. */
export function innermost(error: unknown): Error {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  return inner instanceof Error ? inner : new Error(String(inner))
}

export function lostConnection(error: unknown): boolean {
  const inner = innermost(error)
  return inner instanceof DatabaseUnavailable || isOfConnection(inner)
}

/** PostgreSQL undid it for a conflict or a deadlock with others: tried again, it may well succeed. */
export function rolledBack(error: unknown): boolean {
  return isOneOf(error, '40001', '40P01')
}

/** Nothing of a statement was done: it was undone, refused by a server that only reads, or never got there. */
export function nothingDone(error: unknown): boolean {
  return rolledBack(error) || isOneOf(error, '25006', '57P03', 'ECONNREFUSED', 'CONNECT_TIMEOUT', 'ENOTFOUND')
}

/** The server stops, starts, or only reads by now: another may have taken over. */
export function leavesServer(error: unknown): boolean {
  return isOneOf(error, '25006', '57P01', '57P02', '57P03')
}

function isOneOf(error: unknown, ...codes: string[]): boolean {
  return codes.includes(sqlState(error) ?? '')
}

export function translate(error: unknown): Error {
  const inner = innermost(error)
  const code = sqlState(inner)
  if (inner instanceof DatabaseUnavailable || !code) return inner
  if (isOfConnection(inner) || unavailable.test(code)) {
    return new DatabaseUnavailable(`${code}: ${inner.message}`)
  }
  return inner
}

/** A file that was missing during a transaction is no lost connection, though their codes are the same. */
function isOfConnection(inner: Error): boolean {
  return connectionCodes.has(sqlState(inner) ?? '') && !fileFault(inner)
}
