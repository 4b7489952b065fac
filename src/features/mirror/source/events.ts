import { fromBinary } from '@bufbuild/protobuf'
import { decodeMessage } from '../../../kernel/protocol/codec/decode.ts'
import { FieldScan, fieldBytes } from '../../../kernel/protocol/codec/wire-scan.ts'
import {
  type HubEvent,
  HubEventSchema,
  HubEventType,
} from '../../../kernel/protocol/wire/hub_event_pb.js'
import type { UserNameProof } from '../../../kernel/protocol/wire/message_pb.js'
import type { OnChainEvent } from '../../../kernel/protocol/wire/onchain_event_pb.js'
import { toRow } from '../../../kernel/storage/messages/message-rows.ts'

/** What an event of a source says, as far as it matters here. */
export type SourceEvent = {
  readonly id: number
  readonly type: number
  /** 0 where there are none. */
  readonly block: number
  /** Seconds since the epoch of the network; 0 when the source does not say. */
  readonly timestamp: number
  /** Of the author, or whom it is about; 0 for the others. */
  readonly fid: number
  readonly what: EventBody
}

export type EventBody =
  /** `deleted`: what the message has replaced. */
  | {
      readonly kind: 'merge'
      readonly message: Uint8Array
      readonly deleted: readonly Uint8Array[]
    }
  | { readonly kind: 'remove'; readonly message: Uint8Array; readonly reason: 'prune' | 'revoke' }
  | {
      readonly kind: 'name'
      readonly proof: UserNameProof | undefined
      readonly before: UserNameProof | undefined
    }
  | { readonly kind: 'account'; readonly event: OnChainEvent }
  | { readonly kind: 'block'; readonly block: BlockAccount }
  | { readonly kind: 'other' }

/** What a block of Snapchain says about itself. */
export type BlockAccount = {
  readonly number: number
  readonly hash: Uint8Array
  /** This event included. */
  readonly totalEvents: number
  readonly countsByType: ReadonlyMap<number, number>
}

const EVENT = { type: 1, id: 2, merge: 3, prune: 4, revoke: 5, block: 12, timestamp: 15 } as const
const BODY = { message: 1, deleted: 2 } as const
const MESSAGE = { data: 1, hash: 2, dataBytes: 7 } as const
const DATA = { type: 1, fid: 2, timestamp: 3 } as const

/** Reads an event without decoding its messages. Throws when it is none. */
export function readEvent(bytes: Uint8Array): SourceEvent {
  const numbers = { id: 0, type: 0, block: 0, timestamp: 0 }
  let body: Uint8Array | undefined
  const scan = new FieldScan(bytes)
  while (scan.next()) {
    if (scan.number === EVENT.type) numbers.type = scan.value
    else if (scan.number === EVENT.id) numbers.id = scan.value
    else if (scan.number === EVENT.block) numbers.block = scan.value
    else if (scan.number === EVENT.timestamp) numbers.timestamp = scan.value
    else if (
      scan.number === EVENT.merge ||
      scan.number === EVENT.prune ||
      scan.number === EVENT.revoke
    ) {
      body = fieldBytes(bytes, scan)
    }
  }
  if (scan.isBroken || !Number.isSafeInteger(numbers.id)) throw new Error('not an event')
  if (body === undefined) return { ...numbers, ...otherEvent(bytes) }
  const message = firstOf(body, BODY.message) ?? new Uint8Array(0)
  const fid = fidOfMessage(message)
  if (numbers.type === HubEventType.MERGE_MESSAGE) {
    return { ...numbers, fid, what: { kind: 'merge', message, deleted: allOf(body, BODY.deleted) } }
  }
  const reason = numbers.type === HubEventType.PRUNE_MESSAGE ? 'prune' : 'revoke'
  return { ...numbers, fid, what: { kind: 'remove', message, reason } }
}

function otherEvent(bytes: Uint8Array): Pick<SourceEvent, 'fid' | 'what'> {
  const { body } = fromBinary(HubEventSchema, bytes, { readUnknownFields: false })
  if (body.case === 'mergeOnChainEventBody' && body.value.onChainEvent) {
    const event = body.value.onChainEvent
    return { fid: Number(event.fid), what: { kind: 'account', event } }
  }
  if (body.case === 'mergeUsernameProofBody') return nameEvent(bytes, body.value)
  if (body.case === 'blockConfirmedBody') {
    const { blockNumber, blockHash, totalEvents, eventCountsByType } = body.value
    const counts = Object.entries(eventCountsByType).map(
      ([type, n]) => [Number(type), Number(n)] as const,
    )
    const block = {
      number: Number(blockNumber),
      hash: blockHash,
      totalEvents: Number(totalEvents),
      countsByType: new Map(counts),
    }
    return { fid: 0, what: { kind: 'block', block } }
  }
  return { fid: 0, what: { kind: 'other' } }
}

type NameBody = Extract<HubEvent['body'], { case: 'mergeUsernameProofBody' }>['value']

const PROOF_EVENT = { body: 8, message: 3, deletedMessage: 4 } as const

/** A proof in a message is merged, or removed, like any message; one of the registry is a transfer. */
function nameEvent(bytes: Uint8Array, value: NameBody): Pick<SourceEvent, 'fid' | 'what'> {
  const body = firstOf(bytes, PROOF_EVENT.body)!
  const [message] = allOf(body, PROOF_EVENT.message)
  const deleted = allOf(body, PROOF_EVENT.deletedMessage)
  if (message) return { fid: fidOfMessage(message), what: { kind: 'merge', message, deleted } }
  const [removed] = deleted
  if (removed) {
    return {
      fid: fidOfMessage(removed),
      what: { kind: 'remove', message: removed, reason: 'revoke' },
    }
  }
  const { usernameProof: proof, deletedUsernameProof: before } = value
  const fid = Number(proof?.fid || before?.fid || 0n)
  return { fid, what: { kind: 'name', proof, before } }
}

/** The slot and the hash of a message that was stored elsewhere; undefined for bytes that are none. */
export function placeOf(
  message: Uint8Array,
): { readonly slot: Uint8Array; readonly hash: Uint8Array } | undefined {
  try {
    const { slot, hash } = toRow(decodeMessage(message))
    return { slot, hash }
  } catch {
    return undefined
  }
}

export const hashOfMessage = (message: Uint8Array): Uint8Array =>
  firstOf(message, MESSAGE.hash) ?? new Uint8Array(0)

/** The author that the data name; 0 when there is none. */
export const fidOfMessage = (message: Uint8Array): number => numberIn(message, DATA.fid)

/** In network seconds; 0 when there is none. */
export const timestampOfMessage = (message: Uint8Array): number => numberIn(message, DATA.timestamp)

export const typeOfMessage = (message: Uint8Array): number => numberIn(message, DATA.type)

function numberIn(message: Uint8Array, field: number): number {
  const data = firstOf(message, MESSAGE.dataBytes) ?? firstOf(message, MESSAGE.data)
  if (!data) return 0
  const scan = new FieldScan(data)
  while (scan.next()) if (scan.number === field) return scan.value
  return 0
}

function firstOf(bytes: Uint8Array, number: number): Uint8Array | undefined {
  const scan = new FieldScan(bytes)
  while (scan.next()) if (scan.number === number) return fieldBytes(bytes, scan)
  return undefined
}

function allOf(bytes: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = []
  const scan = new FieldScan(bytes)
  while (scan.next()) if (scan.number === number) found.push(fieldBytes(bytes, scan))
  return found
}
