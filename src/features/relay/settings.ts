import { CHAIN_SETTINGS } from '../../kernel/accounts/chain/settings.ts'
import {
  type GivenSettings,
  inBothModes,
  optionalSetting,
  parseInteger,
  parsePrivateKey,
  requireSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'
import { isTestKey } from '../../kernel/protocol/crypto/test-keys.ts'
import { DAY_MS } from '../../kernel/protocol/time.ts'

const settings = {
  relayerKey: optionalSetting({
    variable: 'ROOKERY_RELAYER_KEY',
    what: 'Private key of the account that sends what users approve to the chain and pays for it. Without one, users send it.',
    parse: parsePrivateKey,
    secret: true,
  }),
  relayerMaxFeeGwei: setting({
    variable: 'ROOKERY_RELAYER_MAX_FEE_GWEI',
    what: 'Highest price of a unit of gas, in gwei; while the chain asks for more, calls wait.',
    defaults: inBothModes('5'),
    parse: (text) => parseInteger(text, 1, 1_000_000),
  }),
}

export const RELAY_SETTINGS = {
  title: 'Relayer',
  settings,
  check,
} satisfies SettingGroup

export type RelayConfig = SettingValues<typeof settings>

function check(given: GivenSettings): string[] {
  return [
    ...requireSetting(given, CHAIN_SETTINGS.settings.chainRpcUrls, [settings.relayerKey]),
    ...requireSetting(given, settings.relayerKey, [settings.relayerMaxFeeGwei]),
    ...(given.mode === 'production' && isKnownKey(given.values.relayerKey)
      ? [
          `${settings.relayerKey.variable} is a key of the public test phrase, which everybody knows`,
        ]
      : []),
  ]
}

const isKnownKey = (key: unknown) => key instanceof Uint8Array && isTestKey(key)

/** The spending limits of the relayer. */
export type RelayLimits = {
  /** Wei per unit of gas. */
  readonly maxFee: bigint
  /** Gas of one transaction. */
  readonly maxGas: bigint
  /** Gas per day (UTC): for one fid, and for all together. */
  readonly gasPerFid: number
  readonly gasPerDay: number
}

/** Gas of one call. Adding or removing a key takes about 150,000, a registration with keys and storage several times that. */
const MAX_GAS = 1_000_000n
/** Gas of one fid in a day (UTC): about thirteen keys. */
const GAS_PER_FID = 2_000_000
/** Gas of all fids together in a day (UTC). */
const GAS_PER_DAY = 100_000_000
const WEI_PER_GWEI = 10n ** 9n

export const relayLimits = (config: RelayConfig): RelayLimits => ({
  maxFee: BigInt(config.relayerMaxFeeGwei) * WEI_PER_GWEI,
  maxGas: MAX_GAS,
  gasPerFid: GAS_PER_FID,
  gasPerDay: GAS_PER_DAY,
})

/** Interval between checks of unfinished transactions. */
export const ROUND_INTERVAL_MS = 1_000
/** The longest wait after rounds that failed, for example because no node answers. */
export const MAX_BACKOFF_MS = 10_000
/** Calls checked in one round; later ones have to wait for these anyway. */
export const MAX_ROUND = 100
/** Unfinished calls; further ones are refused. */
export const MAX_UNDER_WAY = 1_000
/** A transaction that the nodes do not know any more is sent again after this time. */
export const SEND_AGAIN_MS = 10_000
/** A transaction that is in no block by then is replaced with a higher fee. */
export const STUCK_MS = 30_000
/** Maximum number of fee bumps; afterwards the relayer waits for lower fees. */
export const MAX_REPLACEMENTS = 5
/** Nodes take a replacement only with a fee that is 10 % higher. */
export const RAISE_PERCENT = 25n
export const MIN_RAISE_PERCENT = 10n
/** A nonce used by none of our transactions for this long was used by another sender with the same key. */
export const LOST_MS = 60_000
/** The time of a block may be a little before the time it was made. */
export const DEADLINE_GRACE_MS = 5 * 60_000
/** Nonces that are filled in one round. */
export const MAX_GAPS = 16
export const BALANCE_INTERVAL_MS = 60_000
/** A repeated submission gets the same answer for this long. */
export const REMEMBERED_MS = 7 * DAY_MS
export const PRUNE_INTERVAL_MS = 3_600_000
