import { create, toBinary } from '@bufbuild/protobuf'
import type { DataInit } from '../src/kernel/protocol/build.ts'
import { publicKeyOf } from '../src/kernel/protocol/crypto/ed25519.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import { firstEventIdAt } from '../src/kernel/protocol/event-id.ts'
import { MESSAGE_FORMS } from '../src/kernel/protocol/message.ts'
import {
  HashScheme,
  MessageDataSchema,
  SignatureScheme,
} from '../src/kernel/protocol/wire/message_pb.js'
import { toStored } from '../src/kernel/storage/messages/message-rows.ts'
import type { NewMessage } from '../src/kernel/storage/messages/messages.ts'
import { benchAccount } from './accounts.ts'

/** Ids grow with time and are distinct within a millisecond. */
export const idAt = (ms: number, n: number) => firstEventIdAt(ms) + (n % 4_000)

const keys = new Map<number, Uint8Array>()

/** The row that merging would write, with arbitrary bytes as signature, because signing is slow. */
export function messageRow(init: DataInit, id: number): NewMessage {
  const data = create(MessageDataSchema, init)
  const dataBytes = toBinary(MessageDataSchema, data)
  const hash = hashOf(dataBytes)
  const fid = Number(data.fid)
  const signer = keys.get(fid) ?? publicKeyOf(benchAccount(fid).seed)
  keys.set(fid, signer)
  const signature = Buffer.concat([hash, hash, hash, hash.subarray(0, 4)])
  const form = MESSAGE_FORMS.both
  const hashScheme = HashScheme.BLAKE3
  const signatureScheme = SignatureScheme.ED25519
  return toStored(
    { data, fid, dataBytes, form, hash, hashScheme, signature, signatureScheme, signer },
    id,
  )
}
