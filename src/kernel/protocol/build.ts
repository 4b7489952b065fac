// Building messages, for the command line, the development network, tests and the bench. Each kind's own
// builder is in its file.

import { create, toBinary } from '@bufbuild/protobuf'
import { publicKeyOf, signEd25519 } from './crypto/ed25519.ts'
import { hashOf } from './crypto/hash.ts'
import type { DataInit } from './kinds/kind.ts'
import { MESSAGE_FORMS, type SignedMessage } from './message.ts'
import { HashScheme, MessageDataSchema, SignatureScheme } from './wire/message_pb.js'

export { castAdd } from './kinds/cast-add.ts'
export { castRemove } from './kinds/cast-remove.ts'
export { frameAction } from './kinds/frame-action.ts'
export { keyAdd, keyRemove } from './kinds/gasless-key.ts'
export type { DataInit, Origin } from './kinds/kind.ts'
export { lendStorage } from './kinds/lend-storage.ts'
export { linkAdd, linkRemove } from './kinds/link.ts'
export { linkCompactState } from './kinds/link-compact-state.ts'
export { type CastId, type ReactionTarget, reactionAdd, reactionRemove } from './kinds/reaction.ts'
export { userDataAdd } from './kinds/user-data.ts'
export { usernameProof } from './kinds/username-proof.ts'
export {
  type EthClaim,
  verificationAddEth,
  verificationAddSol,
  verificationRemove,
} from './kinds/verification.ts'

/** Encodes the data, hashes it and signs the hash with a 32-byte Ed25519 seed. Nothing is checked. */
export function buildMessage(init: DataInit, seed: Uint8Array): SignedMessage {
  const data = create(MessageDataSchema, init)
  return signedMessage(data, toBinary(MessageDataSchema, data), seed)
}

function signedMessage(
  data: SignedMessage['data'],
  dataBytes: Uint8Array,
  seed: Uint8Array,
): SignedMessage {
  const hash = hashOf(dataBytes)
  return {
    data,
    fid: Number(data.fid),
    dataBytes,
    form: MESSAGE_FORMS.both,
    hash,
    hashScheme: HashScheme.BLAKE3,
    signature: signEd25519(hash, seed),
    signatureScheme: SignatureScheme.ED25519,
    signer: publicKeyOf(seed),
  }
}
