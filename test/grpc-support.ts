// What the tests of the gRPC interface share: raw calls over bytes. Stock clients are in stock-clients.ts.

import { once } from 'node:events'
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import * as grpc from '@grpc/grpc-js'
import { readVarint, scanFields } from '../src/kernel/protocol/codec/wire-scan.ts'
import { SubscribeRequestSchema } from '../src/kernel/protocol/wire/rpc_pb.js'

/** A call's end: the message, or what the status and the trailers say. */
export type Ended = {
  readonly bytes?: Buffer
  readonly status: number
  readonly details: string
  readonly errCode: string | undefined
  readonly trailers: grpc.Metadata
}

export type RawClient = {
  /** What it connects to. */
  readonly address: string
  /** One call; nothing throws. */
  call(
    method: string,
    request: Uint8Array,
    options?: { headers?: Readonly<Record<string, string>>; deadlineMs?: number },
  ): Promise<Ended>
  serverStream(
    method: string,
    request: Uint8Array,
    headers?: Readonly<Record<string, string>>,
  ): grpc.ClientReadableStream<Buffer>
  duplex(method: string): grpc.ClientDuplexStream<Uint8Array, Buffer>
  close(): void
}

const identity = (bytes: Buffer) => bytes
const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes)

/** A client of bytes, on a connection of its own. */
export function rawClient(address: string): RawClient {
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': 4 * 1024 * 1024,
  })
  const pathOf = (method: string) => (method.startsWith('/') ? method : `/HubService/${method}`)
  return {
    address,
    call: (method, request, { headers = {}, deadlineMs } = {}) =>
      new Promise((resolve) => {
        let bytes: Buffer | undefined
        const call = client.makeUnaryRequest(
          pathOf(method),
          asBuffer,
          identity,
          request,
          metadataOf(headers),
          deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs },
          (_error, value) => {
            bytes = value
          },
        )
        call.on('status', ({ code, details, metadata }) =>
          setImmediate(() =>
            resolve({
              ...(bytes && { bytes }),
              status: code,
              details,
              errCode: metadata.get('errcode').map(String)[0],
              trailers: metadata,
            }),
          ),
        )
      }),
    serverStream: (method, request, headers = {}) =>
      client.makeServerStreamRequest(
        pathOf(method),
        asBuffer,
        identity,
        request,
        metadataOf(headers),
      ),
    duplex: (method) => client.makeBidiStreamRequest(pathOf(method), asBuffer, identity),
    close: () => client.close(),
  }
}

function metadataOf(headers: Readonly<Record<string, string>>): grpc.Metadata {
  const metadata = new grpc.Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

export const subscribeRequest = (init: MessageInitShape<typeof SubscribeRequestSchema>) =>
  toBinary(SubscribeRequestSchema, create(SubscribeRequestSchema, init))

const EVENT_ID = 2

/** The id of an encoded HubEvent. Decoding the whole event would be most of the work of a test with a thousand streams. */
export function eventIdOf(bytes: Uint8Array): number {
  const field = scanFields(bytes)?.find(({ number }) => number === EVENT_ID)
  const id = field && readVarint(bytes, field.start)
  if (!id) throw new TypeError('an event without an id')
  return id.value
}

/** Collects the ids of a Subscribe stream. */
export type Followed = {
  readonly ids: number[]
  readonly begun: Promise<grpc.Metadata>
  readonly status: Promise<grpc.StatusObject>
  /** Waits until an event with this id or a later one has arrived. */
  until(id: number): Promise<void>
}

export function followEvents(stream: grpc.ClientReadableStream<Buffer>): Followed {
  const ids: number[] = []
  const status = new Promise<grpc.StatusObject>((resolve) => stream.on('status', resolve))
  stream.on('error', () => {})
  stream.on('data', (bytes: Buffer) => {
    ids.push(eventIdOf(bytes))
    stream.emit('id')
  })
  return {
    ids,
    status,
    begun: new Promise<grpc.Metadata>((resolve) => stream.on('metadata', resolve)),
    async until(id) {
      while ((ids.at(-1) ?? 0) < id) await once(stream, 'id')
    },
  }
}
