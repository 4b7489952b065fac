import { fromHex, toHex } from '../protocol/codec/bytes.ts'
import { isZeroAddress } from '../protocol/crypto/secp256k1.ts'
import { Rejection } from '../protocol/rejection.ts'
import { MAX_FID } from '../protocol/sizes.ts'
import { purchasedUnits, unitCount } from '../protocol/storage-units.ts'
import type { AccountState } from './account-state.ts'
import {
  checkBothSides,
  checkMetadata,
  checkSigned,
  receiverOf,
  refused,
  type Signing,
  type Terms,
} from './checks.ts'
import {
  type AccountEvent,
  fidRegistered,
  fidTransferred,
  keyAdded,
  keyRemoved,
  recoveryChanged,
} from './events.ts'
import type {
  Account,
  AddFor,
  ChangeRecoveryAddressFor,
  RecoverFor,
  Register,
  RegisterFor,
  RemoveFor,
  RentStorage,
  TransferAndChangeRecoveryFor,
  TransferFor,
} from './port.ts'
import { renewalOf, rented, termsOfStorage } from './rent-rules.ts'
import { type LedgerSettings, MAX_KEYS_PER_CALL, STORAGE_REGISTRY } from './settings.ts'
import {
  addTypedData,
  changeRecoveryAddressTypedData,
  registerTypedData,
  removeTypedData,
  transferAndChangeRecoveryTypedData,
  transferTypedData,
} from './signatures/typed-data.ts'

// What the contracts do with each call: the same checks in the same order, and the resulting events. A decision
// uses up the state it is given (nonces, events) and reads nothing else but signatures. It throws a Rejection
// with the contract's error name; then nothing has happened.

export type Decision<C> = (state: AccountState, call: C, terms: Terms) => Promise<AccountEvent[]>

export const decideRegisterFor: Decision<RegisterFor> = async (state, call, terms) => {
  const { to, recovery, deadline, signature } = call
  const signed: Signing = { contract: 'idGateway', signer: to, deadline, signature }
  await checkSigned(state, terms, signed, (nonce) =>
    registerTypedData(terms.settings.domains, { to, recovery, nonce, deadline }),
  )
  checkHasNone(state, to)
  const fid = state.newestFid + 1
  if (fid > MAX_FID) throw new Rejection('unavailable', 'every fid is given away')
  const { settings } = terms
  if (call.extraStorage > settings.maxExtraUnits) {
    const { signupUnits, maxExtraUnits } = settings
    const message = `an account comes with ${signupUnits} units and can ask for ${maxExtraUnits} more; the operator of this server gives more`
    throw refused('ExceedsCapacity', message, 'extraStorage')
  }
  const units = settings.signupUnits + call.extraStorage
  if (units > settings.maxUnitsPerFid) throw tooManyUnits(settings, 'extraStorage')
  const payer = fromHex(settings.domains.idGateway.verifyingContract ?? '')!
  const accountEvents = [fidRegistered(fid, to, recovery)]
  if (units > 0) accountEvents.push(rented(fid, { payer, units }, terms))
  return applyAll(state, terms, accountEvents)
}

export const decideTransferFor: Decision<TransferFor> = async (state, call, terms) => {
  const { fid } = getMovable(state, call.from, call.to)
  await checkBothSides(state, call, terms, (nonce, deadline) =>
    transferTypedData(terms.settings.domains, { fid, to: call.to, nonce, deadline }),
  )
  return applyAll(state, terms, [fidTransferred(fid, call.from, call.to)])
}

export const decideTransferAndChangeRecoveryFor: Decision<TransferAndChangeRecoveryFor> = async (
  state,
  call,
  terms,
) => {
  const { from, to, recovery } = call
  const { fid } = getMovable(state, from, to)
  const moved = { fid, to, recovery }
  await checkBothSides(state, call, terms, (nonce, deadline) =>
    transferAndChangeRecoveryTypedData(terms.settings.domains, { ...moved, nonce, deadline }),
  )
  return applyAll(state, terms, [fidTransferred(fid, from, to), recoveryChanged(fid, recovery)])
}

export const decideChangeRecoveryAddressFor: Decision<ChangeRecoveryAddressFor> = async (
  state,
  { owner, recovery, deadline, signature },
  terms,
) => {
  const account = getHolder(state, owner, 'owner')
  const message = { fid: account.fid, from: account.recovery, to: recovery, deadline }
  const signed: Signing = { contract: 'idRegistry', signer: owner, deadline, signature }
  await checkSigned(state, terms, signed, (nonce) =>
    changeRecoveryAddressTypedData(terms.settings.domains, { ...message, nonce }),
  )
  return applyAll(state, terms, [recoveryChanged(account.fid, recovery)])
}

/** The recovery address moves a fid without the consent of its holder. */
export const decideRecoverFor: Decision<RecoverFor> = async (state, call, terms) => {
  const { from, to } = call
  const { fid, recovery } = getMovable(state, from, to)
  if (isZeroAddress(recovery)) {
    const message = `fid ${fid} has no recovery address`
    throw refused('InvalidSignature', message, 'recoverySignature')
  }
  const sides: Signing[] = [
    {
      contract: 'idRegistry',
      signer: recovery,
      deadline: call.recoveryDeadline,
      signature: call.recoverySignature,
      side: 'recovery',
    },
    receiverOf(call),
  ]
  for (const side of sides) {
    await checkSigned(state, terms, side, (nonce) =>
      transferTypedData(terms.settings.domains, { fid, to, nonce, deadline: side.deadline }),
    )
  }
  return applyAll(state, terms, [fidTransferred(fid, from, to)])
}

export const decideAddFor: Decision<AddFor> = async (state, call, terms) => {
  const { owner, deadline, signature, key } = call
  const signed: Signing = { contract: 'keyGateway', signer: owner, deadline, signature }
  await checkSigned(state, terms, signed, (nonce) =>
    addTypedData(terms.settings.domains, { ...call, nonce }),
  )
  const fid = getKeyHolder(state, owner)
  const keyState = state.keyState(fid, key)
  if (keyState !== 'none') {
    const why = keyState === 'added' ? 'is added already' : 'was removed and cannot come back'
    throw refused('InvalidState', `this key of fid ${fid} ${why}`, 'key')
  }
  const { maxKeysPerFid } = terms.settings
  if (state.keyCount(fid) >= maxKeysPerFid) {
    throw refused('ExceedsMaximum', `fid ${fid} has ${maxKeysPerFid} keys, the most it can`, 'key')
  }
  await checkMetadata(state, call, terms)
  return applyAll(state, terms, [keyAdded(fid, call)])
}

export const decideRemoveFor: Decision<RemoveFor> = async (state, call, terms) => {
  const { owner, key, deadline, signature } = call
  const signed: Signing = { contract: 'keyRegistry', signer: owner, deadline, signature }
  await checkSigned(state, terms, signed, (nonce) =>
    removeTypedData(terms.settings.domains, { owner, key, nonce, deadline }),
  )
  const fid = getKeyHolder(state, owner)
  if (state.keyState(fid, key) !== 'added') {
    throw refused('InvalidState', `fid ${fid} does not have this key`, 'key')
  }
  return applyAll(state, terms, [keyRemoved(fid, key)])
}

/** Units for any fid, without payment; therefore a fid can hold a bounded number. */
export const decideRent: Decision<RentStorage> = async (state, { fid, units }, terms) => {
  const { settings, now } = terms
  if (units < 1) throw refused('InvalidAmount', 'units must be at least 1', 'units')
  const held = purchasedUnits(state.rentsOf(fid), now, termsOfStorage(settings))
  if (unitCount(held) + units > settings.maxUnitsPerFid) throw tooManyUnits(settings, 'units')
  const payer = fromHex(STORAGE_REGISTRY)!
  // Units without an end take the place of those with an end: these are renewed before.
  const renewal = renewalOf(state, fid, terms)
  return applyAll(state, terms, [...renewal, rented(fid, { payer, units }, terms)])
}

/**
 * A fid with its keys; the keys' nonces follow one another in the order of the list. One call may ask for
 * 33 signatures, so everything else is checked first: a call that is refused for another reason verifies none.
 */
export const decideRegister: Decision<Register> = async (state, call, terms) => {
  if (call.keys.length > MAX_KEYS_PER_CALL) {
    const message = `at most ${MAX_KEYS_PER_CALL} keys can be added in one call`
    throw refused('InvalidBatchInput', message, 'keys')
  }
  await registerWithKeys(state.copy(), call, { ...terms, verify: undefined })
  return registerWithKeys(state, call, terms)
}

async function registerWithKeys(
  state: AccountState,
  call: Register,
  terms: Terms,
): Promise<AccountEvent[]> {
  const accountEvents = await decideRegisterFor(state, call, terms)
  for (const [i, key] of call.keys.entries()) {
    try {
      accountEvents.push(...(await decideAddFor(state, { ...key, owner: call.to }, terms)))
    } catch (error) {
      throw error instanceof Rejection ? within(error, `keys.${i}`) : error
    }
  }
  return accountEvents
}

function applyAll(
  state: AccountState,
  { now }: Terms,
  accountEvents: AccountEvent[],
): AccountEvent[] {
  for (const event of accountEvents) state.apply(event, now)
  return accountEvents
}

function getHolder(state: AccountState, address: Uint8Array, field: string): Account {
  const account = state.account(address)
  if (!account) throw refused('HasNoId', `${toHex(address)} holds no fid`, field)
  return account
}

/** Key calls have another contract error for an owner without a fid. */
function getKeyHolder(state: AccountState, owner: Uint8Array): number {
  const fid = state.fidOf(owner)
  if (fid === undefined) throw refused('Unauthorized', `${toHex(owner)} holds no fid`, 'owner')
  return fid
}

function checkHasNone(state: AccountState, to: Uint8Array): void {
  const fid = state.fidOf(to)
  if (fid !== undefined) throw refused('HasId', `${toHex(to)} holds fid ${fid} already`, 'to')
}

function getMovable(state: AccountState, from: Uint8Array, to: Uint8Array): Account {
  const account = getHolder(state, from, 'from')
  checkHasNone(state, to)
  return account
}

const tooManyUnits = ({ maxUnitsPerFid }: LedgerSettings, field: string) =>
  refused('ExceedsCapacity', `a fid can hold at most ${maxUnitsPerFid} units`, field)

function within(error: Rejection, path: string): Rejection {
  const field = error.field === undefined ? path : `${path}.${error.field}`
  return new Rejection(error.code, error.message, { field })
}
