import { decodeErrorResult } from 'viem/utils'
import { decodeSignedKeyRequestMetadata } from '../../protocol/crypto/key-request-metadata.ts'
import { type ContractError, Rejection } from '../../protocol/rejection.ts'
import type { CallName, NewKey } from '../port.ts'
import { ERRORS_ABI } from './abi.ts'
import { ChainFault } from './fault.ts'

// Translates reverts of the contracts into the same Rejections that the ledger gives.

type Fields = { readonly [Code in ContractError]?: string }

const SIGNED = { SignatureExpired: 'deadline', InvalidSignature: 'signature' } as const
/** The contracts do not say which of two signatures is wrong. */
const MOVED: Fields = { HasNoId: 'from', HasId: 'to' }
const FIELDS: { readonly [Name in CallName]: Fields } = {
  registerFor: { ...SIGNED, HasId: 'to', ExceedsCapacity: 'extraStorage' },
  register: { HasId: 'to', ExceedsCapacity: 'extraStorage', InvalidBatchInput: 'keys' },
  transferFor: MOVED,
  transferAndChangeRecoveryFor: MOVED,
  changeRecoveryAddressFor: { ...SIGNED, HasNoId: 'owner' },
  recoverFor: MOVED,
  addFor: {
    ...SIGNED,
    Unauthorized: 'owner',
    InvalidState: 'key',
    ExceedsMaximum: 'key',
    ValidatorNotFound: 'keyType',
    InvalidMetadata: 'metadata',
  },
  removeFor: { ...SIGNED, Unauthorized: 'owner', InvalidState: 'key' },
  rent: { InvalidAmount: 'units', ExceedsCapacity: 'units' },
}

const TEXTS: { readonly [Code in ContractError]: string } = {
  InvalidSignature: "a signature is not its signer's over this call with the nonce that is due",
  SignatureExpired: 'a deadline is over',
  HasNoId: 'the address holds no fid',
  HasId: 'the address holds a fid already',
  Unauthorized: 'the address holds no fid',
  InvalidState: 'the fid has this key already, had it once, or never had it',
  ExceedsMaximum: 'the fid has as many keys as it can',
  ValidatorNotFound: 'there are no keys of this type with this type of metadata',
  InvalidMetadata: 'the metadata is not a signed key request for this key that holds now',
  InvalidAmount: 'units must be at least 1',
  ExceedsCapacity: 'there are not that many units left',
  InvalidBatchInput: 'too many keys for one call',
}

/** The reason of a revert: the name of its error, or the text of a `require`. */
export function revertReason(error: unknown): string | undefined {
  const data = revertDataOf(error)
  if (data === undefined) return undefined
  try {
    const { errorName, args } = decodeErrorResult({ abi: ERRORS_ABI, data })
    return errorName === 'Error' ? String(args[0]) : errorName
  } catch {
    return ''
  }
}

/** The Rejection for a reverted call; any other error unchanged. */
export function refusalOf(name: CallName, error: unknown, call?: unknown): unknown {
  const reason = revertReason(error)
  if (reason === undefined) return error
  // The contract has no error for metadata that it cannot decode.
  const code = reason === '' && isUnreadable(name, call) ? 'InvalidMetadata' : reason
  if (!isContractError(code)) {
    const why = reason || 'no reason given'
    return new Rejection('unavailable', `the contracts do not take the call: ${why}`)
  }
  return new Rejection(code, TEXTS[code], { field: FIELDS[name][code] })
}

const RETRY_SECONDS = 5

/** An error for the caller of a route: a node that did not answer becomes `unavailable`. */
export const unlessSilent = (error: unknown): unknown =>
  error instanceof Rejection
    ? error
    : new Rejection('unavailable.network_failure', 'the chain does not answer; try again later', {
        retryAfterSeconds: RETRY_SECONDS,
      })

const isUnreadable = (name: CallName, call: unknown): boolean =>
  name === 'addFor' &&
  call !== undefined &&
  decodeSignedKeyRequestMetadata((call as NewKey).metadata) === undefined

const isContractError = (word: string): word is ContractError => Object.hasOwn(TEXTS, word)

/** Nodes put it in `data`, plain or wrapped in their own object. */
function revertDataOf(error: unknown): `0x${string}` | undefined {
  if (!(error instanceof ChainFault)) return undefined
  const { data } = error
  const inner = typeof data === 'object' && data !== null ? (data as { data?: unknown }).data : data
  if (typeof inner === 'string' && /^0x[0-9a-f]*$/i.test(inner)) return inner as `0x${string}`
  // Without data only the message distinguishes a revert from a node failure.
  return /revert/i.test(error.message) ? '0x' : undefined
}
