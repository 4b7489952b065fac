import { encodeEnvelope } from '../kernel/protocol/codec/envelope.ts'
import { hashOf } from '../kernel/protocol/crypto/hash.ts'
import { MESSAGE_FORMS } from '../kernel/protocol/message.ts'
import { KEY_BYTES } from '../kernel/protocol/sizes.ts'
import { networkTime } from '../kernel/protocol/time.ts'
import { checkFid, checkNetworkTime, checkObject, must } from './checks.ts'
import { encode, type Fields } from './fields.ts'
import { bytesOf, toHex } from './hex.ts'
import type { MessageBody } from './messages.ts'
import type { Signer } from './signer.ts'

const NETWORKS = { mainnet: 1, testnet: 2, devnet: 3 } as const
/** As the hub's /v1/info names it. */
export type NetworkName = keyof typeof NETWORKS

export type Author = {
  readonly fid: number
  readonly network: NetworkName
  /** Seconds since 2021-01-01 UTC; now unless given. */
  readonly timestamp?: number
}

export type SignedMessage = {
  /** What `/v1/submitMessage` takes. */
  readonly bytes: Uint8Array
  /** Names the message: 0x and 40 hex digits. */
  readonly hash: string
}

const BLAKE3 = 1
const ED25519 = 1
const SIGNATURE_BYTES = 64

/** Hashes what a message says and has the hash signed. */
export async function signMessage(
  body: MessageBody,
  author: Author,
  signer: Signer,
): Promise<SignedMessage> {
  checkSigning(body, author, signer)
  const dataBytes = encode(dataFields(body), {
    type: body.type,
    fid: author.fid,
    timestamp: author.timestamp ?? networkTime(Date.now()),
    network: networkNumber(author.network),
    body: body.values,
  })
  const hash = hashOf(dataBytes)
  const signature = await signer.sign(hash)
  const bytes = encodeEnvelope({
    dataBytes,
    // Hubs of every age read one of the two copies.
    form: MESSAGE_FORMS.both,
    hash,
    hashScheme: BLAKE3,
    signature: bytesOf(signature, 'the signature', SIGNATURE_BYTES),
    signatureScheme: ED25519,
    signer: bytesOf(signer.publicKey, 'the public key', KEY_BYTES),
  })
  return { bytes, hash: toHex(hash) }
}

function checkSigning(body: unknown, author: Author, signer: unknown): void {
  must(Boolean(Object(body).fields), 'the message', 'what castAdd and its like return', body)
  checkObject(author, 'the author', "{ fid: 1, network: 'mainnet' }")
  checkFid(author.fid, 'fid')
  if (author.timestamp !== undefined) checkNetworkTime(author.timestamp, 'timestamp')
  const { publicKey, sign } = Object(signer)
  const isSigner = publicKey !== undefined && typeof sign === 'function'
  must(isSigner, 'the signer', 'what await keySigner(privateKey) returns', signer)
}

/** MessageData with this body. */
const dataFields = ({ number, fields }: MessageBody): Fields => ({
  type: [1, 'number'],
  fid: [2, 'number'],
  timestamp: [3, 'number'],
  network: [4, 'number'],
  body: [number, { fields }],
})

function networkNumber(name: string): number {
  const number = Object.hasOwn(NETWORKS, name) && NETWORKS[name as NetworkName]
  if (number) return number
  throw new TypeError(`the network must be mainnet, testnet or devnet, not "${name}"`)
}
