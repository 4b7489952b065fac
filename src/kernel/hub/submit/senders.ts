import { equalBytes } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { gaslessKeySlot } from '../../protocol/slots.ts'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Reader } from '../../storage/storage.ts'
import type { ModerationStatus, SignerOf } from '../../storage/tables/accounts.ts'
import type { SenderState } from '../kinds/effects.ts'
import { effectsOf } from '../kinds/kinds.ts'
import type { CheckedRow } from './candidate.ts'
import { SenderKeys } from './sender-keys.ts'
import { isVouchedFor, type Vouched } from './vouched-key.ts'

/** What is asked of a message about who sends it. */
type Sending = Pick<CheckedRow, 'fid' | 'signer' | 'type' | 'store' | 'slot'>

/** The key that the account must have, or, for a message that any key may sign, the key that it is about. */
const keyOf = (row: Sending): Uint8Array => effectsOf(row.store).aboutKey?.(row) ?? row.signer

/** Reads who sends these messages. Gasless keys are read only for messages whose key no transaction has added. */
export async function readSenders(
  reader: Pick<Reader, 'accounts' | 'messages' | 'gaslessKeys'>,
  rows: readonly Sending[],
  nowMs: number,
): Promise<Omit<SenderState, 'holder'> & { readonly keyHolders: readonly StoredMessage[] }> {
  const signers = await reader.accounts.signerStatuses(signersOf(rows))
  const byFid = Map.groupBy(signers, ({ fid }) => fid)
  const statusOf = (fid: number, key: Uint8Array) =>
    byFid.get(fid)?.find((one) => equalBytes(one.key, key))
  const isActiveKey = (fid: number, key: Uint8Array) => statusOf(fid, key)?.active ?? false
  const keys = rows.flatMap((row) => {
    const isAdded = !effectsOf(row.store).aboutKey && isActiveKey(row.fid, row.signer)
    return isAdded ? [] : keyOf(row)
  })
  const [keyHolders, found] = await Promise.all([
    keys.length === 0 ? [] : reader.messages.bySlots(keys.map(gaslessKeySlot)),
    SenderKeys.read(reader, keys, nowMs),
  ])
  return {
    isRegistered: (fid) => byFid.get(fid)?.[0]?.registered ?? false,
    isActiveKey,
    isKnownKey: (fid, key) => statusOf(fid, key)?.known ?? false,
    keys: found,
    moderation: (fid) => byFid.get(fid)?.[0]?.moderation,
    keyHolders,
  }
}

/** The author of each message and its key, without repetition. */
function signersOf(rows: readonly Sending[]): SignerOf[] {
  const keysOf = new Map<number, Uint8Array[]>()
  const signers: SignerOf[] = []
  for (const row of rows) {
    const { fid } = row
    const key = keyOf(row)
    const keys = keysOf.getOrInsertComputed(fid, () => [])
    if (keys.some((one) => equalBytes(one, key))) continue
    keys.push(key)
    signers.push({ fid, key })
  }
  return signers
}

type Signed = Sending & Pick<CheckedRow, 'timestamp'>

/**
 * Throws unless the fid is registered, the signer is an active key of it that may send this type, and moderation allows its
 * messages. Messages about keys are signed by any key.
 */
export function checkSignerNow(state: SenderState, row: Signed, vouched?: Vouched): void {
  const { fid, signer } = row
  checkRegistered(state, fid)
  if (!state.isActiveKey(fid, signer) && needsGaslessKey(row, vouched)) {
    state.keys.checkUseNow(row, state.holder(gaslessKeySlot(signer)))
  }
  checkModeration(state.moderation(fid), row)
}

/**
 * The same of a message that another hub has stored: a key that was ever added may have signed it. Whether that hub was right to
 * take it cannot be found out now.
 */
export function checkSigner(state: SenderState, row: Signed, vouched?: Vouched): void {
  const { fid, signer } = row
  checkRegistered(state, fid)
  if (!state.isKnownKey(fid, signer) && needsGaslessKey(row, vouched)) {
    state.keys.checkUse(row, state.holder(gaslessKeySlot(signer)))
  }
  checkModeration(state.moderation(fid), row)
}

/** Of a message whose key no transaction has added. */
const needsGaslessKey = ({ fid, signer, store }: Sending, vouched: Vouched | undefined): boolean =>
  !isVouchedFor(vouched, fid, signer) && !effectsOf(store).aboutKey

function checkRegistered(state: SenderState, fid: number): void {
  if (state.isRegistered(fid)) return
  throw new Rejection('bad_request.unknown_fid', `unknown fid: ${fid}`, { field: 'data.fid' })
}

/**
 * Throws when the operator has suspended the author, or when the message is of the time whose messages were
 * erased: a kept copy of an erased message must not bring it back.
 */
function checkModeration(
  status: ModerationStatus | undefined,
  { fid, timestamp }: Pick<Signed, 'fid' | 'timestamp'>,
): void {
  if (!status) return
  if (status.isSuspended) {
    const text = `the operator of this server has suspended fid ${fid}`
    throw new Rejection('unauthorized.suspended', text, { field: 'data.fid' })
  }
  const { isBeingErased, erasedBefore } = status
  if (!isBeingErased && (erasedBefore === 0 || timestamp > erasedBefore)) return
  const text = isBeingErased
    ? `the messages of fid ${fid} are being erased; send new ones after that`
    : `the messages of fid ${fid} up to timestamp ${erasedBefore} were erased`
  throw new Rejection('bad_request.erased', text, { field: 'data.timestamp' })
}
