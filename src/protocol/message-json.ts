import { fromBinary } from '@bufbuild/protobuf'
import { HASH_SCHEME, messageText, prefixedNetworkName, SIGNATURE_SCHEME } from './json.ts'
import {
  type JsonBytes,
  type JsonPart,
  jsonPart,
  maxJsonBytes,
  type SourceBytes,
  sourceBytes,
} from './json-bytes.ts'
import { quotedNames } from './kinds/json-layout.ts'
import type { JsonOptions } from './kinds/kind.ts'
import { KINDS } from './kinds/kinds.ts'
import { MESSAGE_FORMS, type MessageForm, type SignedMessage } from './message.ts'
import type { PackedEnvelope } from './packed-envelope.ts'
import {
  HashScheme,
  type MessageData,
  MessageDataSchema,
  MessageTypeSchema,
  NetworkSchema,
  SignatureScheme,
} from './wire/message_pb.js'
import { FoundFields, WireJson } from './wire-json.ts'
import { WIRE_BYTES, WIRE_VARINT } from './wire-scan.ts'

/** Byte strings of one message or of several. They may be parts of the same bytes. */
export type PartsOfMessages = {
  readonly hashes: Uint8Array
  readonly signers: Uint8Array
  readonly signatures: SourceBytes
  readonly data: SourceBytes
}

const HASH_BYTES = 20
const SIGNER_BYTES = 32
const SIGNATURE_BYTES = 64
/** Hash, signer and signature. */
const ENVELOPE_BYTES = HASH_BYTES + SIGNER_BYTES + SIGNATURE_BYTES

/** The parts of messages whose hash, signer, signature and data follow each other. */
export const partsOfPacked = (packed: Uint8Array): PartsOfMessages => ({
  hashes: packed,
  signers: packed.subarray(HASH_BYTES),
  signatures: sourceBytes(packed.subarray(HASH_BYTES + SIGNER_BYTES)),
  data: sourceBytes(packed.subarray(ENVELOPE_BYTES)),
})

/** How much further the next message begins, after one with so many bytes of data. */
export const packedBytes = (dataBytes: number): number => ENVELOPE_BYTES + dataBytes

/** Fields of MessageData before its body. */
const HEAD = { type: 1, fid: 2, timestamp: 3, network: 4 } as const
/** Fields with a greater number have a longer tag. */
const MAX_FIELD = 15

const PARTS = {
  timestamp: jsonPart(',"timestamp":'),
  hash: jsonPart('},"hash":"0x'),
  signature: jsonPart(`","hashScheme":"${HASH_SCHEME(HashScheme.BLAKE3)}","signature":"`),
  signer: jsonPart(
    `","signatureScheme":"${SIGNATURE_SCHEME(SignatureScheme.ED25519)}","signer":"0x`,
  ),
  dataBytes: jsonPart('","dataBytes":"'),
  end: jsonPart('"}'),
}

/** What is before the fid, by the type. */
const HEADS = quotedNames(MessageTypeSchema, (_, name) => name, ['{"data":{"type":', ',"fid":'])

type BodyWriter = {
  /** What is between the timestamp and the body, by the network. */
  readonly keys: readonly (JsonPart | undefined)[]
  readonly json: WireJson
}

/** What lists need to know of a message besides its hash. */
export type MessageHead = {
  readonly type: number
  readonly fid: number
  readonly timestamp: number
}

/** The same JSON as `messageText`, written from stored bytes. */
export class MessageWriter {
  readonly #out: JsonBytes
  readonly #options: JsonOptions
  readonly #found: FoundFields
  /** By the field that a body has in MessageData. */
  readonly #bodies: (BodyWriter | undefined)[] = []
  #packed = new Uint8Array(ENVELOPE_BYTES)
  #parts = partsOfPacked(this.#packed)

  constructor(out: JsonBytes, options: JsonOptions) {
    this.#out = out
    this.#options = options
    const networkName = (number: number) => prefixedNetworkName(number, options.networkPrefix)
    const wireTypes = new Int8Array(MAX_FIELD + 1).fill(-1)
    for (const number of Object.values(HEAD)) wireTypes[number] = WIRE_VARINT
    for (const { body, layout } of KINDS) {
      const { number } = MessageDataSchema.field[body]!
      if (!layout || number > MAX_FIELD) continue
      wireTypes[number] = WIRE_BYTES
      const around = [',"network":', `,"${body}":`] as const
      const keys = quotedNames(NetworkSchema, networkName, around)
      this.#bodies[number] = { keys, json: new WireJson(layout) }
    }
    this.#found = new FoundFields({ wireTypes, isList: new Uint8Array(wireTypes.length) })
  }

  /** Writes one message. It is copied to memory that is used again, because views of each would cost more. */
  writePacked(packed: PackedEnvelope, form: number): void {
    if (packed.length > this.#packed.length) {
      this.#packed = new Uint8Array(2 * packed.length)
      this.#parts = partsOfPacked(this.#packed)
    }
    this.#packed.set(packed)
    this.write(this.#parts, 0, packed.length - ENVELOPE_BYTES, form)
  }

  /** Writes the message whose parts all begin at this position, with data of this length. */
  write(parts: PartsOfMessages, at: number, length: number, form: number): void {
    const out = this.#out
    const start = out.length
    out.reserve(maxJsonBytes(length))
    if (this.#writeData(parts.data, at, at + length)) this.#writeEnvelope(parts, at, length, form)
    else {
      out.length = start
      const text = messageText(messageAt(parts, at, length, form), this.#options)
      out.latin1(Buffer.from(text).toString('latin1'))
    }
  }

  /** Reads this of the message whose data begin at this position. */
  head({ data }: Pick<PartsOfMessages, 'data'>, at: number, length: number): MessageHead {
    const found = this.#found
    if (found.find(data.bytes, at, at + length)) {
      return {
        type: sent(found, HEAD.type),
        fid: sent(found, HEAD.fid),
        timestamp: sent(found, HEAD.timestamp),
      }
    }
    const { type, fid, timestamp } = decodedData(data.bytes.subarray(at, at + length))
    return { type, fid: Number(fid), timestamp }
  }

  #writeEnvelope(
    { hashes, signatures, signers, data }: PartsOfMessages,
    at: number,
    length: number,
    form: number,
  ): void {
    const out = this.#out
    out.part(PARTS.hash)
    out.hex(hashes, at, at + HASH_BYTES)
    out.part(PARTS.signature)
    out.base64(signatures, at, at + SIGNATURE_BYTES)
    out.part(PARTS.signer)
    out.hex(signers, at, at + SIGNER_BYTES)
    if (form !== MESSAGE_FORMS.data) {
      out.part(PARTS.dataBytes)
      out.base64(data, at, at + length)
    }
    out.part(PARTS.end)
  }

  /** Returns false when the data have to be decoded; the caller then discards what was written. */
  #writeData(source: SourceBytes, from: number, to: number): boolean {
    const out = this.#out
    const found = this.#found
    if (!found.find(source.bytes, from, to)) return false
    const { starts, ends } = found
    const number = this.#onlyBody(starts)
    const head = HEADS[sent(found, HEAD.type)]
    const timestamp = sent(found, HEAD.timestamp)
    if (number === undefined || !head || timestamp > MAX_UINT32) return false
    const { keys, json } = this.#bodies[number]!
    const key = keys[sent(found, HEAD.network)]
    if (!key) return false
    out.part(head)
    out.integer(sent(found, HEAD.fid))
    out.part(PARTS.timestamp)
    out.integer(timestamp)
    out.part(key)
    return json.write(out, source, starts[number]!, ends[number]!)
  }

  /** The field of the body; undefined when there is none, or more than one. */
  #onlyBody(starts: Int32Array): number | undefined {
    let body: number | undefined
    for (let number = HEAD.network + 1; number <= MAX_FIELD; number++) {
      if (starts[number] === -1) continue
      if (body !== undefined) return undefined
      body = number
    }
    return body
  }
}

const MAX_UINT32 = 2 ** 32 - 1

const sent = ({ starts, integers }: FoundFields, number: number): number =>
  starts[number] === -1 ? 0 : integers[number]!

const decodedData = (dataBytes: Uint8Array): MessageData =>
  fromBinary(MessageDataSchema, dataBytes, { readUnknownFields: false })

function messageAt(
  { hashes, signers, signatures, data }: PartsOfMessages,
  at: number,
  length: number,
  form: number,
): SignedMessage {
  const part = (all: Uint8Array, size: number) => all.subarray(at, at + size)
  const dataBytes = part(data.bytes, length)
  const decoded = decodedData(dataBytes)
  return {
    data: decoded,
    fid: Number(decoded.fid),
    dataBytes,
    form: form as MessageForm,
    hash: part(hashes, HASH_BYTES),
    hashScheme: HashScheme.BLAKE3,
    signature: part(signatures.bytes, SIGNATURE_BYTES),
    signatureScheme: SignatureScheme.ED25519,
    signer: part(signers, SIGNER_BYTES),
  }
}
