import { fromBinary } from '@bufbuild/protobuf'
import { PACKED_AT, type PackedEnvelope } from '../codec/packed-envelope.ts'
import { WIRE_BYTES, WIRE_VARINT } from '../codec/wire-scan.ts'
import { quotedNames } from '../kinds/json-layout.ts'
import type { JsonOptions } from '../kinds/kind.ts'
import { KINDS } from '../kinds/kinds.ts'
import { MESSAGE_FORMS, type MessageForm, type SignedMessage } from '../message.ts'
import { MAX_UINT32 } from '../sizes.ts'
import {
  HashScheme,
  type MessageData,
  MessageDataSchema,
  MessageTypeSchema,
  NetworkSchema,
  SignatureScheme,
} from '../wire/message_pb.js'
import { HASH_SCHEME, messageText, prefixedNetworkName, SIGNATURE_SCHEME } from './json.ts'
import {
  type JsonBytes,
  type JsonPart,
  jsonPart,
  maxJsonBytes,
  type SourceBytes,
  sourceBytes,
} from './json-bytes.ts'
import { FoundFields, WireJson } from './wire-json.ts'

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

/** The same JSON as `messageText`, written from stored bytes. */
export class MessageWriter {
  readonly #out: JsonBytes
  readonly #options: JsonOptions
  readonly #found: FoundFields
  /** By the field that a body has in MessageData. */
  readonly #bodies: (BodyWriter | undefined)[] = []
  /** Each message is copied here, because a view of each of its parts would cost more. */
  #packed = sourceBytes(new Uint8Array(0))

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

  /** Writes a message that is stored in this form. */
  write(packed: PackedEnvelope, form: number): void {
    if (packed.length > this.#packed.bytes.length) {
      this.#packed = sourceBytes(new Uint8Array(2 * packed.length))
    }
    this.#packed.bytes.set(packed)
    const out = this.#out
    const start = out.length
    out.reserve(maxJsonBytes(packed.length - PACKED_AT.data))
    if (this.#writeData(this.#packed, PACKED_AT.data, packed.length)) {
      this.#writeEnvelope(this.#packed, packed.length, form)
    } else {
      out.length = start
      const text = messageText(unpacked(packed, form), this.#options)
      out.latin1(Buffer.from(text).toString('latin1'))
    }
  }

  #writeEnvelope(packed: SourceBytes, end: number, form: number): void {
    const out = this.#out
    out.part(PARTS.hash)
    out.hex(packed.bytes, PACKED_AT.hash, PACKED_AT.signer)
    out.part(PARTS.signature)
    out.base64(packed, PACKED_AT.signature, PACKED_AT.data)
    out.part(PARTS.signer)
    out.hex(packed.bytes, PACKED_AT.signer, PACKED_AT.signature)
    if (form !== MESSAGE_FORMS.data) {
      out.part(PARTS.dataBytes)
      out.base64(packed, PACKED_AT.data, end)
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

const sent = ({ starts, integers }: FoundFields, number: number): number =>
  starts[number] === -1 ? 0 : integers[number]!

function unpacked(packed: PackedEnvelope, form: number): SignedMessage {
  const dataBytes = packed.subarray(PACKED_AT.data)
  const data: MessageData = fromBinary(MessageDataSchema, dataBytes, { readUnknownFields: false })
  return {
    data,
    fid: Number(data.fid),
    dataBytes,
    form: form as MessageForm,
    hash: packed.subarray(PACKED_AT.hash, PACKED_AT.signer),
    hashScheme: HashScheme.BLAKE3,
    signature: packed.subarray(PACKED_AT.signature, PACKED_AT.data),
    signatureScheme: SignatureScheme.ED25519,
    signer: packed.subarray(PACKED_AT.signer, PACKED_AT.signature),
  }
}
