/**
 * Why the store cannot serve a request now. `full`: no disk space; `clock`: the clocks of this machine
 * and of the database are too far apart to give event ids.
 */
export type UnavailableReason =
  | 'unreachable'
  | 'read_only'
  | 'timeout'
  | 'overloaded'
  | 'full'
  | 'clock'

/**
 * The store cannot do its work now; the same request may succeed later. What was asked for is not
 * stored, with one exception: when the connection is lost during a commit, the outcome is unknown.
 */
export class StoreUnavailable extends Error {
  readonly reason: UnavailableReason

  constructor(reason: UnavailableReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'StoreUnavailable'
    this.reason = reason
  }
}

/** Whether the works of a group commit that failed are tried alone: when the store failed, what was stored is unknown. */
export const mayRetryAlone = (error: unknown) => !(error instanceof StoreUnavailable)

/** Errors of the operating system and of name resolution while a connection is made or used. */
const NETWORK_ERRORS = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT', // the path of a Unix socket
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/** SQLSTATE codes and classes (two characters), see PostgreSQL's appendix "Error Codes". */
const SQL_STATES: Readonly<Record<string, UnavailableReason>> = {
  '08': 'unreachable', // connection exceptions; poolers report their own with 08P01
  '25006': 'read_only', // read_only_sql_transaction
  '25P03': 'timeout', // idle_in_transaction_session_timeout
  '25P04': 'timeout', // transaction_timeout
  '40001': 'overloaded', // serialization_failure, after all retries
  '40P01': 'overloaded', // deadlock_detected, after all retries
  '53': 'overloaded', // too many connections, out of memory
  '53100': 'full', // disk_full
  '55P03': 'timeout', // lock_not_available
  '57014': 'timeout', // query_canceled: the statement timeout
  '57P': 'unreachable', // shutdown, crash, starting up, database dropped
  '58': 'unreachable', // I/O errors of the server
}

/** What an error of the database or of its connection says about availability, if anything. */
export function unavailableReason(error: unknown): UnavailableReason | undefined {
  if (error instanceof StoreUnavailable) return error.reason
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return undefined
  if (NETWORK_ERRORS.has(code)) return 'unreachable'
  if (code.length !== 5) return undefined
  return SQL_STATES[code] ?? SQL_STATES[code.slice(0, 3)] ?? SQL_STATES[code.slice(0, 2)]
}

/**
 * Classes of SQLSTATE that speak of the values of a statement: cardinality, data, integrity, triggered actions, external
 * routines, `with check option`, program limits, PL/pgSQL.
 */
const VALUE_CLASSES: ReadonlySet<string> = new Set([
  ...['21', '22', '23', '27', '38', '39', '44', '54', 'P0'],
])
/** SQLite's result codes that do: error, too big, constraint, mismatch, range. */
const VALUE_CODES: ReadonlySet<number> = new Set([1, 18, 19, 20, 25])
const MISSING_SCHEMA = /^no such (table|column|module)/

/**
 * Whether the store failed, so that other work would fail now as well. Otherwise the work itself cannot be done: a value that
 * the database refuses, a broken constraint, or an error of the program.
 */
export function isStoreFailure(error: unknown): boolean {
  if (unavailableReason(error) !== undefined) return true
  const {
    code,
    errcode,
    message = '',
  } = (error ?? {}) as {
    code?: unknown
    errcode?: number
    message?: string
  }
  if (errcode !== undefined) return !VALUE_CODES.has(errcode & 0xff) || MISSING_SCHEMA.test(message)
  // A connection that was closed.
  if (code === 'ERR_INVALID_STATE') return true
  return typeof code === 'string' && code.length === 5 && !VALUE_CLASSES.has(code.slice(0, 2))
}
