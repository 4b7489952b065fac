import { type AccountDomains, accountDomains, DEPLOYED_CHAIN_ID } from '../protocol/eip712.ts'

export type LedgerSettings = {
  /** In every event and, unless `domains` says otherwise, in what is signed. */
  readonly chainId: number
  readonly domains: AccountDomains
  /** The number of the messages' network (1 is mainnet); unit kinds change at its dates. */
  readonly network: number
  /** Units that come with a fid. */
  readonly signupUnits: number
  /** Units a fid may hold at one time; more are refused, as nobody pays. */
  readonly maxUnitsPerFid: number
  /** Keys a fid may have at one time. */
  readonly maxKeysPerFid: number
  /** How long accepted calls wait before they count; 0 is not at all. */
  readonly confirmationMs: number
  /** Events that may wait for their confirmation; more calls are refused. Each call reads them all. */
  readonly maxPendingEvents: number
}

const DEFAULTS = {
  chainId: DEPLOYED_CHAIN_ID,
  network: 1,
  signupUnits: 20,
  maxUnitsPerFid: 1_000,
  maxKeysPerFid: 1_000,
  confirmationMs: 0,
  maxPendingEvents: 2_000,
}

/** Settings with whatever is missing as deployed or, where the contracts know none, generous. */
export function ledgerSettings(given: Partial<LedgerSettings> = {}): LedgerSettings {
  const settings = { ...DEFAULTS, ...given }
  return { ...settings, domains: given.domains ?? accountDomains({ chainId: settings.chainId }) }
}

/** The deployed StorageRegistry: the payer of units that somebody rents here, where nobody pays. */
export const STORAGE_REGISTRY = '0x00000000fcCe7f938e7aE6D3c335bD6a1a7c593D'

/** Keys that one call may add: each costs two signature checks. */
export const MAX_KEYS_PER_CALL = 16
