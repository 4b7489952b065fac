const DAY_SECONDS = 24 * 3_600

/** A name may change hands once in 28 days, as at the deployed registry. */
export const NAME_CHANGE_INTERVAL_SECONDS = 28 * DAY_SECONDS
/** How far a claim's timestamp may be from now, either way: clocks are wrong and signers slow. */
export const CLOCK_TOLERANCE_SECONDS = 600
/** Rows on a page of the history. */
export const TRANSFERS_PER_PAGE = 100
/**
 * Transfers with one timestamp; the next has to be signed for another second. A page by time does not
 * end within a second, so this bounds it.
 */
export const MAX_TRANSFERS_PER_TIMESTAMP = 10_000
/** A request has seven short fields. */
export const MAX_BODY_BYTES = 100 * 1024

/** What an operator decides about a registry. */
export type RegistrySettings = {
  /** 32 bytes: signs every transfer. */
  readonly serverKey: Uint8Array
  readonly changeIntervalSeconds: number
  /** Only administrators give these away, and what looks like them. */
  readonly reservedNames: readonly string[]
  /** Fids that act for the registry, each with the 20-byte address that signs for it. */
  readonly admins: ReadonlyMap<number, Uint8Array>
  /** Domains under which names resolve in ENS: "fcast.id" for alice.fcast.id. */
  readonly domains: readonly string[]
  /** 20 bytes: the resolver contract of those domains, in what the gateway signs. */
  readonly resolver: Uint8Array
  /** Accepted changes a minute. */
  readonly limits: { readonly perFid: number; readonly total: number }
}
