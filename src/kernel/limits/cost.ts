// The price of work: every route declares what a request may cost, and each client and all clients together
// have a budget in the same unit. So no request is free, and a request that is cheap to send but
// expensive to answer is paid for.

/** One unit is a tenth of a millisecond of CPU time on the reference machine (one core at about 3 GHz). */
export const UNITS_PER_CPU_SECOND = 10_000

/**
 * The most that one request may cause, in addition to BASE_UNITS. A missing part counts as zero.
 */
export type Cost = {
  /** CPU time of work that no other part describes. */
  readonly cpu?: keyof typeof CPU_CLASSES
  /** Ed25519 signatures that it may verify. */
  readonly signatures?: number
  /** secp256k1 signatures that it may verify or make: accounts, names, wallets. */
  readonly recoveries?: number
  /** Rows that it may read and answer with. Rows that were not read are refunded. */
  readonly rows?: number
  /** Rows that it may write and flush. */
  readonly writes?: number
  /** Rows that a filter may look at without answering them. Paid whatever is answered. */
  readonly scanned?: number
  /** The same of messages and events that are read whole before the filter decides. */
  readonly decoded?: number
  /** Requests to a node of a chain that it may cause. */
  readonly chainCalls?: number
}

/**
 * Small: some look-ups by key. Moderate: a dozen of them. Medium: parsing of an unusual body. Large: an answer of many
 * megabytes.
 */
const CPU_CLASSES = { small: 1, moderate: 8, medium: 20, large: 400 } as const

/** Receiving, parsing and answering any request, also a refused one. */
export const BASE_UNITS = 1
/** About 0.05 ms each: verified in a thread, but by the same cores. */
const SIGNATURE_UNITS = 0.5
/** About 1 ms each, in a thread as well. */
const RECOVERY_UNITS = 10
/** A full page of 1,000 messages takes about 20 ms from the store to JSON. */
const ROW_UNITS = 0.2
/** A merged message takes about 0.05 ms; the flush is shared by all that wait for it. */
const WRITE_UNITS = 0.5
/** A scan of 4,000 rows of an index takes about a millisecond. */
const SCANNED_UNITS = 0.0025
/** A message or an event is read from the store and decoded in a few microseconds. */
const DECODED_UNITS = 0.02
/** Mostly waiting, but requests to a node cost the operator money. */
const CHAIN_CALL_UNITS = 50
/** Bytes of a page for one unit: reads are measured by the size of their answer. */
const BYTES_PER_UNIT = 4_096

/** The most that a request costs, in units. */
export function unitsOf(cost: Cost): number {
  return (
    (cost.cpu ? CPU_CLASSES[cost.cpu] : 0) +
    (cost.signatures ?? 0) * SIGNATURE_UNITS +
    (cost.recoveries ?? 0) * RECOVERY_UNITS +
    (cost.rows ?? 0) * ROW_UNITS +
    (cost.writes ?? 0) * WRITE_UNITS +
    (cost.scanned ?? 0) * SCANNED_UNITS +
    (cost.decoded ?? 0) * DECODED_UNITS +
    (cost.chainCalls ?? 0) * CHAIN_CALL_UNITS
  )
}

/** What rows cost that are read and answered. */
export const unitsOfRows = (rows: number): number => rows * ROW_UNITS

/**
 * A read of at least this price takes turns with those of other clients. It keeps the thread for 5 ms or more.
 */
export const EXPENSIVE_UNITS = 50

/** Rows of a page whose size is not given. */
const PAGE_ROWS = 1_000

/** The costs of most routes. */
const USUAL = {
  lookup: { cpu: 'small' },
  list: { cpu: 'small', rows: PAGE_ROWS },
  write: { cpu: 'small', writes: 2 },
} as const satisfies Record<string, Cost>
export type UsualCost = keyof typeof USUAL

/** The cost of a route: as declared, where a usual one also has the check of its token or of its signatures. */
export function costOf({ cost, errors }: Priced): Cost {
  if (typeof cost === 'object') return cost
  return {
    ...USUAL[cost],
    ...(errors.includes('unauthenticated') && { signatures: 1 }),
    ...(errors.includes('InvalidSignature') && { recoveries: 2 }),
  }
}

/** Whether a request may write, by its price: some published calls write by GET. */
export const mayWrite = (spec: Priced & { readonly method: string }): boolean =>
  spec.method !== 'GET' || (costOf(spec).writes ?? 0) > 0

type Priced = { readonly cost: Cost | UsualCost; readonly errors: readonly string[] }

/** An answer of this size is paid with the request. */
const FREE_ANSWER_BYTES = 4_096

/**
 * The units for the bytes of an answer, less those charged for rows in advance. A negative number is
 * refunded: fewer rows were read than were charged.
 */
export const unitsOfAnswer = (rows: number, answeredBytes: number): number =>
  unitsOfBytes(Math.max(0, answeredBytes - FREE_ANSWER_BYTES)) - rows * ROW_UNITS

/** Receiving a request whose answer is cached takes half of BASE_UNITS, and sending 100 kB another tenth of a millisecond. */
export const unitsOfCached = (answeredBytes: number): number =>
  BASE_UNITS / 2 + answeredBytes / CACHED_BYTES_PER_UNIT
const CACHED_BYTES_PER_UNIT = 100_000

/** What a stream is charged for bytes that it sends. */
export const unitsOfBytes = (bytes: number): number => bytes / BYTES_PER_UNIT
