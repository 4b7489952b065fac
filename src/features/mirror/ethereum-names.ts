import { equalBytes, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { MESSAGE_SETS, usernameProofSlot } from '../../kernel/protocol/slots.ts'
import { type UserNameProof, UserNameType } from '../../kernel/protocol/wire/message_pb.js'
import { type MirrorContext, writeAsLeader } from './context.ts'
import { placeOf, type SourceEvent } from './source/events.ts'
import { type MirrorName, mirrorNameRows } from './tables/mirror-names.ts'

// ENS names and basenames: hubs list them without the messages that prove them.

/** Notes the names that the source says a person has, but those whose messages are stored. */
export async function noteEthereumNames(
  context: MirrorContext,
  fid: number,
  proofs: readonly UserNameProof[],
): Promise<void> {
  const { storage } = context
  const claimed = proofs.filter((proof) => isEthereum(proof) && proof.fid === BigInt(fid))
  const slots = claimed.map(({ name }) => usernameProofSlot(Buffer.from(name).toString()))
  const stored = slots.length === 0 ? [] : await storage.messages.bySlots(slots)
  const isStored = (slot: Uint8Array) => stored.some((row) => equalBytes(row.slot, slot))
  const names = claimed.filter((_, i) => !isStored(slots[i]!)).map((one) => rowOf(fid, one))
  if (isSame(await storage.of(mirrorNameRows).byFid(fid), names)) return
  await writeAsLeader(context, (tx) => tx.of(mirrorNameRows).setNames(fid, names))
}

const isEthereum = ({ type }: UserNameProof): boolean =>
  type === UserNameType.USERNAME_TYPE_ENS_L1 || type === UserNameType.USERNAME_TYPE_BASENAME

const rowOf = (fid: number, { name, owner, timestamp, signature, type }: UserNameProof) => ({
  ...{ name, fid, owner, signature, type },
  timestamp: Number(timestamp),
})

const isSame = (a: readonly MirrorName[], b: readonly MirrorName[]): boolean => {
  const keys = (rows: readonly MirrorName[]) =>
    rows.map(({ name, timestamp }) => `${toHex(name)} ${timestamp}`).sort()
  return keys(a).join() === keys(b).join()
}

/** Set and author, before the name. */
const SLOT_PREFIX_BYTES = 5

/** The names whose messages an event brings or takes away. */
export function namesIn({ what }: SourceEvent): Uint8Array[] {
  const messages =
    what.kind === 'remove'
      ? [what.message]
      : what.kind === 'merge'
        ? [what.message, ...what.deleted]
        : []
  return messages.flatMap((message) => {
    const slot = placeOf(message)?.slot
    return slot?.[0] === MESSAGE_SETS.usernameProofs ? [slot.subarray(SLOT_PREFIX_BYTES)] : []
  })
}
