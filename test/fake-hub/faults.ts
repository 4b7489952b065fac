// What a scripted hub does wrong, at the moment.

import { fromBinary } from '@bufbuild/protobuf'
import { buildMessage, type DataInit } from '../../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../../src/kernel/protocol/codec/envelope.ts'
import type { Message } from '../../src/kernel/protocol/wire/message_pb.js'
import { MessageSchema } from '../../src/kernel/protocol/wire/message_pb.js'
import type { Stored } from './shard.ts'

/** How a message is served that is stored as it should be. Each keeps all else valid. */
export type Lie = 'hash' | 'signature' | 'fid' | 'network' | 'key'

/** What of a block the streams leave out. */
export type LostPart = 'all' | 'confirmation' | 'events'

export type Refusal = {
  /** A status of gRPC; undefined: HTTP 429, as a proxy answers before the call reaches the hub. */
  readonly status?: number
  readonly details?: string
  readonly retryAfterSeconds?: number
  readonly method?: string
  /** Calls that are still refused. */
  left: number
}

export class Faults {
  readonly lies = new Map<string, Lie>()
  /** Fids whose lists are empty. */
  readonly emptyLists = new Set<number>()
  /** By `shard:block`. */
  readonly lostBlocks = new Map<string, LostPart>()
  readonly unimplemented = new Set<string>()
  /** How often each event is sent. */
  copies = 1
  /** The events of so many blocks are sent together, the last first; 0: in order. */
  reorderedBlocks = 0
  /** Blocks that the next stream with a replay misses between replay and live events. */
  missedWhenJoining = 0
  delayMs = 0
  /** Answers are late by so much more, although they say what was so when they were asked. */
  lateAnswersMs = 0
  /** Answers of these methods are made when they are asked and sent when this ends. */
  readonly held = new Map<string, Promise<void>>()
  /** Events are late by so much more. */
  lateEventsMs = 0
  areStreamsSilent = false
  areCallsSilent = false
  /** What shard 0 decides is not repeated by the others. */
  isShardZeroAlone = false
  refusals: Refusal[] = []
  /** Submits that are accepted and never reach a block. */
  lostSubmits = 0
  /** Submits that are accepted, and whose answer does not arrive. */
  unansweredSubmits = 0
  submitRefusal: string | undefined

  /** The refusal of a call, which is counted. */
  takeRefusal(method: string): Refusal | undefined {
    const refusal = this.refusals.find(
      (one) => one.status !== undefined && one.left > 0 && (one.method ?? method) === method,
    )
    if (refusal) refusal.left--
    return refusal
  }

  get proxyRefusal(): Refusal | undefined {
    return this.refusals.find((one) => one.status === undefined && one.left > 0)
  }

  /** The message as it is served. */
  served(stored: Stored, seed: Uint8Array | undefined): Message {
    const lie = this.lies.get(stored.hash)
    return lie ? lieAbout(stored, lie, seed) : stored.message
  }
}

function lieAbout({ message, data }: Stored, lie: Lie, seed: Uint8Array | undefined): Message {
  switch (lie) {
    case 'hash':
      return { ...message, hash: withLastByteChanged(message.hash) }
    case 'signature':
      return { ...message, signature: withLastByteChanged(message.signature) }
    case 'fid':
      return signedAgain({ ...data, fid: data.fid + 1n }, seed)
    case 'network':
      return signedAgain({ ...data, network: data.network === 1 ? 2 : 1 }, seed)
    case 'key':
      return signedAgain(data, new Uint8Array(32).fill(99))
  }
}

function signedAgain(data: DataInit, seed: Uint8Array | undefined): Message {
  if (!seed) throw new Error('this lie needs the key of the author: add the account by account()')
  return fromBinary(MessageSchema, encodeEnvelope(buildMessage(data, seed)))
}

function withLastByteChanged(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[changed.length - 1]! ^= 1
  return changed
}
