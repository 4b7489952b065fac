import { fromBinary } from '@bufbuild/protobuf'
import { blake3 } from '@noble/hashes/blake3.js'
import { MessageDataSchema, MessageType } from '../../../src/kernel/protocol/wire/message_pb.js'
import { bytesOf, hexOf } from '../../shared/bytes.ts'
import { t } from '../../shared/messages.ts'
import { listText } from '../../shared/text.ts'
import type { SignedFields } from '../types.ts'

// Checks a signed message in the browser: what the server says of it need not be believed. Loaded on demand.

const HASH_BYTES = 20

export type OwnCheck = { readonly name: string; readonly passes: boolean; readonly text: string }

/** The checks that need nothing but the message, and the text that was signed. */
export async function verifyMessage(
  message: SignedFields,
  wantedHash: string,
): Promise<{ checks: readonly OwnCheck[]; text: string | undefined }> {
  const dataBytes = bytesOf(message.data_bytes)
  const hash = hexOf(blake3(dataBytes, { dkLen: HASH_BYTES }))
  const isHashed = hash === wantedHash.toLowerCase() && hash === message.hash
  const isSigned = await isSignedBy(message)
  const { faults, text } = readFields(message, dataBytes)
  return {
    text,
    checks: [
      {
        name: 'hash',
        passes: isHashed,
        text: isHashed
          ? t('BLAKE3 of the data bytes is the hash in the address of this page.')
          : t(
              'BLAKE3 of the data bytes is {hash}, the address of this page ends with {wantedHash}.',
              { hash, wantedHash },
            ),
      },
      {
        name: 'signature',
        passes: isSigned,
        text: isSigned
          ? t('Ed25519 accepts the signature of the hash by the signer key.')
          : t('Ed25519 refuses the signature of the hash by the signer key.'),
      },
      {
        name: 'fields',
        passes: faults?.length === 0,
        text:
          faults === undefined
            ? t('The data bytes are no message.')
            : faults.length === 0
              ? t('The data bytes say the fid, the time, the type and the network that are shown.')
              : t('The data bytes say otherwise than shown: {faults}.', {
                  faults: listText(faults),
                }),
      },
    ],
  }
}

async function isSignedBy({ signer, signature, hash }: SignedFields): Promise<boolean> {
  const [key, signed, by] = [signer, hash, signature].map((hex) => bytesOf(hex).slice())
  try {
    const publicKey = await crypto.subtle.importKey('raw', key!, 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', publicKey, by!, signed!)
  } catch {
    // A browser without Ed25519, or a page without a secure context.
    const { ed25519 } = await import('@noble/curves/ed25519.js')
    try {
      return ed25519.verify(by!, signed!, key!)
    } catch {
      return false
    }
  }
}

function readFields(message: SignedFields, dataBytes: Uint8Array) {
  try {
    const data = fromBinary(MessageDataSchema, dataBytes)
    const pairs = {
      fid: [Number(data.fid), message.fid],
      timestamp: [data.timestamp, message.timestamp],
      type: [MessageType[data.type], message.type],
      network: [data.network, message.network],
    } as const
    const faults = Object.entries(pairs).flatMap(([name, [signed, shown]]) =>
      signed === shown ? [] : [t('{name} is {signed}', { name, signed })],
    )
    const text = data.body.case === 'castAddBody' ? data.body.value.text : undefined
    return { faults, text }
  } catch {
    return { faults: undefined, text: undefined }
  }
}
