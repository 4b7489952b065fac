import { fromUtf8, toBase64, toHex, toUtf8 } from '../codec/bytes.ts'
import { base64, hex, integer, object, text } from '../json/json-schema.ts'
import { checkBasename, checkEnsName } from '../names.ts'
import { NETWORK_EPOCH_MS, unixMsOf } from '../time.ts'
import type { UserNameProof } from '../wire/message_pb.js'
import { MessageType, UserNameType, UserNameTypeSchema } from '../wire/message_pb.js'
import { namesOf } from './json-layout.ts'
import { enumSchema } from './json-values.ts'
import { slotKeyOf } from './keys.ts'
import {
  type BodyContext,
  type DataInit,
  dataOf,
  type MessageKind,
  type MessageSet,
  type Origin,
} from './kind.ts'
import { invalid } from './rules.ts'

const BODY = 'usernameProofBody'
const NETWORK_EPOCH_SECONDS = BigInt(NETWORK_EPOCH_MS / 1000)

/** Data bytes of a name proof: the signature may be that of a contract wallet. */
const MAX_USERNAME_PROOF_BYTES = 16_384

/** Proofs of ENS names and basenames. */
export const usernameProofSet: MessageSet = {
  key: 'usernameProofs',
  number: 6,
  name: 'USERNAME_PROOFS',
  messagesPerUnit: { legacy: 5, u2024: 5, u2025: 2 },
  announceOrder: 0,
  dependsOnOthers: false,
}

/** A proof or claim of a name in JSON; shared by messages, events and the registry's names. */
export type UserNameProofJson = {
  /** Unix seconds. */
  readonly timestamp: number
  readonly name: string
  readonly owner: string
  readonly signature: string
  readonly fid: number
  readonly type: string
}

export const nameProofSchema = object(
  {
    timestamp: integer({ description: 'Unix seconds' }),
    name: text(),
    owner: hex('the address that owns the name'),
    signature: base64('by the owner, or by the registry for its own names'),
    fid: integer(),
    type: enumSchema(UserNameTypeSchema, UserNameType.USERNAME_TYPE_NONE),
  },
  { id: 'UserNameProof' },
)

/**
 * A claim of an ENS name or basename. Its slot is the name, which only one fid holds. Registry names
 * do not come as messages.
 */
export const usernameProofKind: MessageKind<'usernameProofBody'> = {
  type: MessageType.USERNAME_PROOF,
  body: BODY,
  set: usernameProofSet,
  isRemove: false,
  views: 'profile',
  maxDataBytes: MAX_USERNAME_PROOF_BYTES,
  targetFids: () => [],
  check: checkUsernameProof,
  slotKey: ({ name }) => name,
  isSlotShared: true,
  withoutContent: ({ name, type, fid, timestamp }) => ({ name, type, fid, timestamp }),
  json: nameProofJson,
  schema: nameProofSchema,
}

/** Data of a USERNAME_PROOF; its own fid and time are the message's, as the rules require. */
export function usernameProof(
  origin: Origin,
  proof: { name: string; owner: Uint8Array; signature: Uint8Array; type: UserNameType },
): DataInit {
  return dataOf(origin, usernameProofKind, {
    timestamp: BigInt(unixMsOf(origin.timestamp) / 1000),
    name: toUtf8(proof.name),
    owner: proof.owner,
    signature: proof.signature,
    fid: BigInt(origin.fid),
    type: proof.type,
  })
}

/** The slot of the proof of an ENS name or basename, the same for every author. */
export function usernameProofSlot(name: string): Uint8Array {
  return slotKeyOf(usernameProofSet, 0, toUtf8(name))
}

const userNameTypeName = namesOf(UserNameTypeSchema)

/** A name proof as JSON. A name that is not UTF-8 is written with U+FFFD. */
export function nameProofJson(proof: Omit<UserNameProof, '$typeName'>): UserNameProofJson {
  return {
    timestamp: Number(proof.timestamp),
    name: Buffer.from(proof.name).toString('utf8'),
    owner: toHex(proof.owner),
    signature: toBase64(proof.signature),
    fid: Number(proof.fid),
    type: userNameTypeName(proof.type),
  }
}

// The address that the name resolves to must be the author's: that is decided from state and from the
// chain, not here. The signature inside is not checked by any hub.
function checkUsernameProof(proof: UserNameProof, { data }: BodyContext): void {
  const name = fromUtf8(proof.name)
  if (name === undefined) throw invalid('name must be encodable as utf8', `${BODY}.name`)
  if (proof.type === UserNameType.USERNAME_TYPE_ENS_L1) checkEnsName(name, `${BODY}.name`)
  else if (proof.type === UserNameType.USERNAME_TYPE_BASENAME) checkBasename(name, `${BODY}.name`)
  else throw invalid(`invalid username type: ${proof.type}`, `${BODY}.type`)

  if (proof.fid !== data.fid) {
    const text = 'fid in username proof does not match fid in message data'
    throw invalid(text, `${BODY}.fid`)
  }
  // The proof's time is in Unix seconds, the message's in network seconds.
  if (proof.timestamp !== BigInt(data.timestamp) + NETWORK_EPOCH_SECONDS) {
    const text = 'timestamp in username proof does not match timestamp in message data'
    throw invalid(text, `${BODY}.timestamp`)
  }
}
