// One shard of a scripted hub: blocks of changes become events, and a list of what is stored.

import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import type { SignedMessage } from '../../src/kernel/protocol/message.ts'
import { isRemove, isStorable, slotOf } from '../../src/kernel/protocol/slots.ts'
import {
  type HubEvent,
  HubEventSchema,
  HubEventType,
} from '../../src/kernel/protocol/wire/hub_event_pb.js'
import {
  type Message,
  type MessageData,
  MessageDataSchema,
  MessageType,
  UserDataType,
  type UserNameProof,
  UserNameType,
} from '../../src/kernel/protocol/wire/message_pb.js'
import type { OnChainEvent } from '../../src/kernel/protocol/wire/onchain_event_pb.js'
import { chainEventKey, messageKey, nameKey, type TrieNode, trieNode } from './trie.ts'

/** An id of an event is its block times this, and its place in the block. */
export const EVENTS_PER_BLOCK = 2 ** 14
/** Of Hubble it is the time, and its place in the millisecond. */
const HUBBLE_IDS_PER_MS = 4096n

export type Stored = {
  readonly message: Message
  readonly data: MessageData
  readonly fid: number
  readonly hash: string
  /** Messages with one slot replace each other. */
  readonly slot: string
}

/** What one block may contain. */
export type Change =
  | { readonly kind: 'merge' | 'prune' | 'revoke'; readonly stored: Stored }
  | {
      readonly kind: 'fail'
      readonly stored: Stored
      readonly code: string
      readonly reason: string
    }
  | { readonly kind: 'chain'; readonly event: OnChainEvent }
  | { readonly kind: 'name'; readonly proof: UserNameProof }

type EventBody = MessageInitShape<typeof HubEventSchema>['body']

export function storedOf(message: Message): Stored {
  const data = message.data ?? fromBinary(MessageDataSchema, message.dataBytes ?? new Uint8Array(0))
  const fid = Number(data.fid)
  const hash = hexOf(message.hash)
  const slot = isStorable(data.type)
    ? hexOf(slotOf({ data, fid, hash: message.hash } as SignedMessage))
    : hash
  return { message: { ...message, data }, data, fid, hash, slot }
}

export class FakeShard {
  readonly index: number
  /** By hash. */
  readonly messages = new Map<string, Stored>()
  readonly chainEvents: OnChainEvent[] = []
  /** Proofs of the name registry by name. */
  readonly names = new Map<string, UserNameProof>()
  /** The log, oldest first. */
  events: HubEvent[] = []
  height = 0
  timestamp = 0
  readonly #trie = new Set<string>()
  readonly #bySlot = new Map<string, Stored>()
  readonly #byFid = new Map<number, Map<string, Stored>>()
  /** What the block that is being made has merged. */
  readonly #new = new Set<Stored>()
  readonly #blockHash: (shard: number, block: number) => Uint8Array
  /** Milliseconds since the epoch of the network, when this is Hubble: it has no blocks. */
  readonly #hubbleNow: (() => number) | undefined
  #lastId = 0n

  constructor(
    index: number,
    blockHash: (shard: number, block: number) => Uint8Array,
    hubbleNow?: () => number,
  ) {
    this.index = index
    this.#blockHash = blockHash
    this.#hubbleNow = hubbleNow
  }

  /** Makes a block of the changes, and returns its events: the confirmation first. */
  commit(changes: readonly Change[], timestamp: number): HubEvent[] {
    this.height++
    this.timestamp = timestamp
    this.#new.clear()
    const bodies = changes.toSorted(inBlockOrder).flatMap((change) => this.#apply(change) ?? [])
    let sequence = 1
    const events = bodies.map((body) =>
      isOfKey(body) ? this.#unlogged(body) : this.#event(body, sequence++),
    )
    if (this.#hubbleNow) {
      this.events.push(...events)
      return events
    }
    const block = [this.#event(this.#confirmation(events), 0), ...events]
    this.events.push(...block.filter(({ id }) => id > 0n))
    return block
  }

  ofFid(fid: number): Stored[] {
    return [...(this.#byFid.get(fid)?.values() ?? [])]
  }

  trieNode(prefix: Uint8Array): TrieNode | undefined {
    return trieNode(this.#trie, prefix)
  }

  get trieItems(): number {
    return this.#trie.size
  }

  /** Forgets the events of blocks before this one. */
  pruneLog(untilBlock: number): void {
    this.events = this.events.filter(({ blockNumber }) => Number(blockNumber) >= untilBlock)
  }

  #event(body: NonNullable<EventBody>, sequence: number): HubEvent {
    if (this.#hubbleNow) {
      const first = BigInt(this.#hubbleNow()) * HUBBLE_IDS_PER_MS
      this.#lastId = this.#lastId >= first ? this.#lastId + 1n : first
      return create(HubEventSchema, { type: EVENT_TYPES[body.case!], id: this.#lastId, body })
    }
    return create(HubEventSchema, {
      type: EVENT_TYPES[body.case!],
      id: BigInt(this.height) * BigInt(EVENTS_PER_BLOCK) + BigInt(sequence),
      blockNumber: BigInt(this.height),
      shardIndex: this.index,
      timestamp: BigInt(this.timestamp),
      body,
    })
  }

  /** Changes of gasless keys are told once, counted, and not logged: they have no id and so no block. */
  #unlogged(body: NonNullable<EventBody>): HubEvent {
    return { ...this.#event(body, 0), id: 0n, blockNumber: 0n }
  }

  #confirmation(events: readonly HubEvent[]): NonNullable<EventBody> {
    const counts: Record<number, bigint> = { [HubEventType.BLOCK_CONFIRMED]: 1n }
    for (const { type } of events) counts[type] = (counts[type] ?? 0n) + 1n
    return {
      case: 'blockConfirmedBody',
      value: {
        blockNumber: BigInt(this.height),
        shardIndex: this.index,
        timestamp: BigInt(this.timestamp),
        blockHash: this.#blockHash(this.index, this.height),
        totalEvents: BigInt(events.length + 1),
        eventCountsByType: counts,
      },
    }
  }

  #apply(change: Change): NonNullable<EventBody> | undefined {
    switch (change.kind) {
      case 'merge':
        return this.#merge(change.stored)
      case 'fail':
        return failure(change.stored, change.code, change.reason)
      case 'prune':
      case 'revoke': {
        const { message } = change.stored
        if (!this.#remove(change.stored)) return undefined
        return change.kind === 'prune'
          ? { case: 'pruneMessageBody', value: { message } }
          : { case: 'revokeMessageBody', value: { message } }
      }
      case 'chain':
        this.chainEvents.push(change.event)
        this.#trie.add(chainEventKey(change.event))
        return { case: 'mergeOnChainEventBody', value: { onChainEvent: change.event } }
      case 'name':
        return this.#mergeName(change.proof)
    }
  }

  #merge(stored: Stored): NonNullable<EventBody> {
    if (this.messages.has(stored.hash)) {
      return failure(stored, 'bad_request.duplicate', 'message has already been merged')
    }
    const rivals = this.#rivals(stored)
    if (rivals.some((other) => !beats(stored, other, this.#rules))) {
      return failure(stored, 'bad_request.conflict', 'message conflicts with a more recent one')
    }
    for (const rival of rivals) this.#remove(rival)
    this.messages.set(stored.hash, stored)
    this.#new.add(stored)
    this.#bySlot.set(stored.slot, stored)
    this.#byFid.set(stored.fid, this.#byFid.get(stored.fid) ?? new Map())
    this.#byFid.get(stored.fid)!.set(stored.hash, stored)
    for (const key of trieKeys(stored)) this.#trie.add(key)
    return mergeBody(stored, rivals)
  }

  /** What is stored and may not be stored together with this message. */
  #rivals(stored: Stored): Stored[] {
    const holder = this.#bySlot.get(stored.slot)
    // A compact state deletes links of earlier blocks alone.
    const isEarlier = (other: Stored) => this.#hubbleNow !== undefined || !this.#new.has(other)
    const compacted = this.ofFid(stored.fid).filter(
      (other) =>
        (isCompacted(other, stored, this.#rules) && isEarlier(other)) || isLateFor(stored, other),
    )
    return [...new Set(holder ? [holder, ...compacted] : compacted)]
  }

  get #rules(): CompactRules {
    return { compactsAllTypes: this.#hubbleNow !== undefined }
  }

  #remove(stored: Stored): boolean {
    for (const key of trieKeys(stored)) this.#trie.delete(key)
    if (this.#bySlot.get(stored.slot) === stored) this.#bySlot.delete(stored.slot)
    this.#byFid.get(stored.fid)?.delete(stored.hash)
    return this.messages.delete(stored.hash)
  }

  #mergeName(proof: UserNameProof): NonNullable<EventBody> | undefined {
    const name = Buffer.from(proof.name).toString()
    const deleted = this.names.get(name)
    if (!deleted && proof.fid === 0n) return undefined
    if (deleted) this.#trie.delete(nameKey(Number(deleted.fid), deleted.name))
    this.names.delete(name)
    // A transfer to fid 0 deletes the name.
    if (proof.fid !== 0n) {
      this.names.set(name, proof)
      this.#trie.add(nameKey(Number(proof.fid), proof.name))
    }
    return {
      case: 'mergeUsernameProofBody',
      value: { usernameProof: proof, ...(deleted && { deletedUsernameProof: deleted }) },
    }
  }
}

function isOfKey(body: NonNullable<EventBody>): boolean {
  if (body.case !== 'mergeMessageBody') return false
  const type = body.value.message?.data?.type
  return type === MessageType.KEY_ADD || type === MessageType.KEY_REMOVE
}

function mergeBody(stored: Stored, rivals: readonly Stored[]): NonNullable<EventBody> {
  const { message, data } = stored
  if (data.body.case === 'usernameProofBody') {
    const deleted = rivals.find((rival) => rival.data.body.case === 'usernameProofBody')
    return {
      case: 'mergeUsernameProofBody',
      value: {
        usernameProof: data.body.value,
        usernameProofMessage: message,
        ...(deleted && {
          deletedUsernameProof: deleted.data.body.value as UserNameProof,
          deletedUsernameProofMessage: deleted.message,
        }),
      },
    }
  }
  // What a compact state deletes is left out of its event.
  const isCompact = data.type === MessageType.LINK_COMPACT_STATE
  const deletedMessages = isCompact ? [] : rivals.map((rival) => rival.message)
  return { case: 'mergeMessageBody', value: { message, deletedMessages } }
}

const failure = ({ message }: Stored, code: string, reason: string): NonNullable<EventBody> => ({
  case: 'mergeFailure',
  value: { message, code, reason },
})

const EVENT_TYPES: Readonly<Record<string, HubEventType>> = {
  mergeMessageBody: HubEventType.MERGE_MESSAGE,
  pruneMessageBody: HubEventType.PRUNE_MESSAGE,
  revokeMessageBody: HubEventType.REVOKE_MESSAGE,
  mergeUsernameProofBody: HubEventType.MERGE_USERNAME_PROOF,
  mergeOnChainEventBody: HubEventType.MERGE_ON_CHAIN_EVENT,
  mergeFailure: HubEventType.MERGE_FAILURE,
  blockConfirmedBody: HubEventType.BLOCK_CONFIRMED,
}

/** Lent storage is in the trie twice: below the lender and below the borrower. */
function trieKeys({ data, fid, hash }: Stored): string[] {
  const own = messageKey(fid, data.type, hash)
  if (data.body.case !== 'lendStorageBody') return [own]
  return [own, messageKey(Number(data.body.value.toFid), data.type, hash)]
}

/** Whether `link` comes too late: a compact state is stored that would have deleted it. In the same second it does not. */
const isLateFor = (link: Stored, state: Stored): boolean =>
  isCompacted(link, state) && link.data.timestamp < state.data.timestamp

/** Hubble deletes links of every type. */
type CompactRules = { readonly compactsAllTypes?: boolean }

/** Whether `state` is a compact state that deletes the stored `link`. */
function isCompacted(
  link: Stored,
  state: Stored,
  { compactsAllTypes }: CompactRules = {},
): boolean {
  const about = link.data.body
  const compact = state.data.body
  if (about.case !== 'linkBody' || compact.case !== 'linkCompactStateBody') return false
  if (link.fid !== state.fid) return false
  if (about.value.type !== compact.value.type && !compactsAllTypes) return false
  if (link.data.timestamp > state.data.timestamp) return false
  const isListed = compact.value.targetFids.includes(about.value.target.value ?? 0n)
  return !isListed || isRemove(link.data.type)
}

/** Whether the first of two rivals is stored. */
function beats(stored: Stored, other: Stored, rules: CompactRules): boolean {
  if (isLateFor(stored, other)) return false
  if (isCompacted(other, stored, rules)) return true
  const removes = [isRemove(stored.data.type), isRemove(other.data.type)]
  const isOfCast = stored.data.type <= MessageType.CAST_REMOVE
  if (isOfCast && removes[0] !== removes[1]) return removes[0]!
  const [own, its] = [stored.data.timestamp, other.data.timestamp]
  if (own !== its) return own > its
  if (removes[0] !== removes[1]) return removes[0]!
  return stored.hash > other.hash
}

/** By fid, and for each the order of a block: accounts, names, revocations, messages, prunes. */
function inBlockOrder(a: Change, b: Change): number {
  const [first, second] = [fidOf(a) - fidOf(b), placeOf(a) - placeOf(b)]
  return first || second
}

function fidOf(change: Change): number {
  if (change.kind === 'chain') return Number(change.event.fid)
  return change.kind === 'name' ? Number(change.proof.fid) : change.stored.fid
}

const PLACES = { chain: 0, name: 1, revoke: 3, fail: 9, prune: 10 } as const

function placeOf(change: Change): number {
  return change.kind === 'merge' ? placeOfMessage(change.stored.data) : PLACES[change.kind]
}

const OF_A_PROOF: readonly UserDataType[] = [
  UserDataType.USER_DATA_TYPE_USERNAME,
  UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
  UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
]

function placeOfMessage({ type, body }: MessageData): number {
  if (type === MessageType.KEY_ADD || type === MessageType.LEND_STORAGE) return 2
  if (type === MessageType.VERIFICATION_ADD_ETH_ADDRESS) return 4
  if (type === MessageType.USERNAME_PROOF) return 5
  if (body.case !== 'userDataBody') return 8
  return OF_A_PROOF.includes(body.value.type) ? 6 : 7
}

export const isFname = ({ type }: UserNameProof) => type === UserNameType.USERNAME_TYPE_FNAME

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
