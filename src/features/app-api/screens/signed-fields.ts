import { fromBinary } from '@bufbuild/protobuf'
import type { AppContext } from '../../../kernel/app-api/context.ts'
import { equalBytes, toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { verifyEd25519 } from '../../../kernel/protocol/crypto/ed25519.ts'
import { hashOf } from '../../../kernel/protocol/crypto/hash.ts'
import { FUTURE_TOLERANCE_SECONDS, unixMsOf } from '../../../kernel/protocol/time.ts'
import { MessageDataSchema, MessageType } from '../../../kernel/protocol/wire/message_pb.js'
import type { StoredMessage } from '../../../kernel/storage/messages/messages.ts'
import type { Check, SignedFields } from './schemas.ts'

/** The fields of a signed message, with each condition of its validity checked again now. */
export async function signedFields(
  context: AppContext,
  message: StoredMessage,
): Promise<SignedFields> {
  const data = fromBinary(MessageDataSchema, message.data)
  return {
    type: MessageType[message.type] ?? String(message.type),
    fid: message.fid,
    network: data.network,
    timestamp: message.timestamp,
    hash: toHex(message.hash),
    hash_scheme: 'BLAKE3, the first 20 bytes',
    signature: toHex(message.signature),
    signature_scheme: 'Ed25519',
    signer: toHex(message.signer),
    data_bytes: toHex(message.data),
    checks: await checksOf(context, message, data.network),
  }
}

async function checksOf(
  { storage, settings, nowMs }: AppContext,
  message: StoredMessage,
  network: number,
): Promise<Check[]> {
  const { fid, hash, signer, signature, data, timestamp } = message
  const [custody, key, gaslessKeys] = await Promise.all([
    storage.accounts.custody(fid),
    storage.accounts.signer(fid, signer),
    storage.gaslessKeys.ofKeys([signer]),
  ])
  const isActive = key?.active === 1 || gaslessKeys.some((gasless) => gasless.fid === fid)
  const hashed = hashOf(data)
  const isEarly = unixMsOf(timestamp) <= nowMs() + FUTURE_TOLERANCE_SECONDS * 1_000
  return [
    check('hash', equalBytes(hashed, hash), {
      good: 'The hash of the data bytes is the hash of the message.',
      bad: `The hash of the data bytes is ${toHex(hashed)}.`,
    }),
    check('signature', verifyEd25519(signature, hash, signer), {
      good: 'The signature of the hash is by the signer key.',
      bad: 'The signature of the hash is not by the signer key.',
    }),
    check('signer', isActive, {
      good: `The signer key is an active key of fid ${fid}.`,
      bad: key
        ? `The signer key was removed from fid ${fid}.`
        : `The signer key was never a key of fid ${fid}.`,
    }),
    check('fid', custody !== undefined, {
      good: `fid ${fid} is registered; its custody address is ${custody && toHex(custody.address)}.`,
      bad: `fid ${fid} is not registered.`,
    }),
    check('time', isEarly, {
      good: 'The timestamp is not in the future.',
      bad: 'The timestamp is more than ten minutes in the future.',
    }),
    check('network', network === settings.network, {
      good: `The message is for this network (${network}).`,
      bad: `The message is for network ${network}, this is network ${settings.network}.`,
    }),
  ]
}

const check = (
  name: Check['name'],
  passes: boolean,
  text: { good: string; bad: string },
): Check => ({
  name,
  passes,
  text: passes ? text.good : text.bad,
})
