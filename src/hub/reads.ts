import { setImmediate as nextTurn } from 'node:timers/promises'
import { fromBinary } from '@bufbuild/protobuf'
import { base58 } from '@scure/base'
import type { SigningNetwork } from '../accounts/signing-network.ts'
import { type Clock, unixSeconds } from '../clock.ts'
import { directed, type ListOf, pageOfList, tokenOf } from '../http/list-tags.ts'
import { equalBytes, fromHex, toHex } from '../protocol/bytes.ts'
import type { MessageSet } from '../protocol/kinds/kind.ts'
import { ALL_MESSAGE_SETS } from '../protocol/kinds/kinds.ts'
import { checkBasename, checkEnsName, checkFname, usernameKind } from '../protocol/names.ts'
import { Rejection } from '../protocol/rejection.ts'
import { checkShard } from '../protocol/shards.ts'
import {
  castSlot,
  castsByParentKey,
  castTargetKey,
  isAdd,
  linkSlot,
  linksByTargetKey,
  linksByTargetPrefix,
  MESSAGE_SETS,
  paddedLinkType,
  reactionSlot,
  reactionsByTargetKey,
  urlTargetKey,
  userDataSlot,
  usernameProofSlot,
  verificationSlot,
} from '../protocol/slots.ts'
import { activeUnits, limitOf, type Units } from '../protocol/storage-units.ts'
import { MessageType, type UserNameProof } from '../protocol/wire/message_pb.js'
import {
  OnChainEventSchema,
  OnChainEventType,
  SignerEventType,
} from '../protocol/wire/onchain_event_pb.js'
import type { SignerState, StoredChainEvent } from '../storage/accounts.ts'
import type { EventRange, EventReader, PublishedEvents, StoredEvent } from '../storage/events.ts'
import { tokenOfKey } from '../storage/list-key.ts'
import type { ListReader } from '../storage/list-reader.ts'
import type { MessageKey } from '../storage/message-lists.ts'
import type { StoredMessage } from '../storage/messages.ts'
import { MAX_PAGE_SIZE, type Page, type PageRequest } from '../storage/page.ts'
import type { Storage } from '../storage/storage.ts'
import type { FeedEventInfo } from './event-feed.ts'
import { EventInfo } from './event-subject.ts'
import { refuseFuture } from './future-event.ts'
import { wireProof } from './names.ts'
import type { HubSettings } from './settings.ts'
import { fromStored } from './stored.ts'

/** A cast or a url that replies and reactions point at. */
export type Target = { readonly fid: number; readonly hash: Uint8Array } | { readonly url: string }

const REACTION_TYPES = [1, 2] as const
/** Most link types of one target that a list without a type merges. */
const MAX_LINK_TYPES = 64
/** Events on one page over HTTP, as in the deployed hub. */
export const EVENTS_PER_PAGE = 1_000
/** Stored bytes of the events of one page; in JSON they are up to three times as long. */
export const EVENT_PAGE_BYTES = 2 * 1024 * 1024
/** Events that one filtered request looks through, and those it reads at a time. */
export const MAX_SCANNED_EVENTS = 5_000
const EVENTS_PER_SCAN = 500

/** Sets with a storage limit, by the words of their names, as deployed hubs list them. */
const LIMITED_SETS = ALL_MESSAGE_SETS.filter(({ messagesPerUnit }) => messagesPerUnit).sort(
  (a, b) => (a.name.replaceAll('_', ' ') < b.name.replaceAll('_', ' ') ? -1 : 1),
)

/** How far the chain that accounts come from has been read. */
export type Following = {
  readonly chainId: number
  readonly headBlock: number | undefined
  readonly followedBlock: number | undefined
  readonly blocksBehind: number | undefined
  readonly secondsBehind: number | undefined
  readonly isCaughtUp: boolean
}

/** A name proof as it is on the wire, whether it came from the registry or in a message. */
export type HeldNameProof = Omit<UserNameProof, '$typeName'>

/**
 * Where published messages are read from: the store itself, or what keeps them in the form in which they are
 * answered.
 */
export type MessageSource<M> = ListReader<M>

/** What reads look at in a message, whatever its form. */
type ReadMessage = MessageKey & { readonly type: number }

export type ReadsOptions<M> = {
  readonly storage: Storage
  readonly messages: MessageSource<M>
  /** The log itself, where `storage` may be a standby that has not all of it yet. */
  readonly log: Pick<EventReader, 'greatestId'>
  readonly clock: Clock
  readonly settings: HubSettings
  readonly signingNetwork: () => SigningNetwork
  /** The progress of the chain follower, if there is one. */
  readonly following?: (() => Following | undefined) | undefined
}

/** Consecutive events, and where a reader continues. */
export type EventPage = {
  readonly events: readonly StoredEvent[]
  /** The id after the last event; for an empty page the id that was asked for. */
  readonly nextId: number
  /** The oldest event's id, when events were asked for that are pruned. */
  readonly oldestId: number | undefined
}

export type AddressUses = {
  readonly isCustody: boolean
  readonly isAuth: boolean
  readonly isVerified: boolean
}

type StorageLimit = {
  readonly set: MessageSet
  readonly limit: number
  readonly used: number
  /** The message that is pruned first. */
  readonly oldest: { readonly timestamp: number; readonly hash: Uint8Array } | undefined
}

export type StorageLimits = { readonly limits: readonly StorageLimit[]; readonly units: Units }

type ShardInfo = {
  readonly messages: number
  readonly fids: number
  /** A part of the whole by its share of the messages: shards have the same tables. */
  readonly sizeBytes: number
}

export type HubInfo = {
  readonly settings: HubSettings
  readonly signingNetwork: SigningNetwork
  readonly following: Following | undefined
  readonly messages: number
  readonly fids: number
  /** What each shard has of it, beginning with the first. */
  readonly shards: readonly ShardInfo[]
  readonly registeredNames: number
  readonly sizeBytes: number
}

/**
 * Everything the hub can be asked, as messages of its source, rows and decoded values: json-presenter.ts and
 * protobuf-presenter.ts write them. Reads of one thing throw a not_found Rejection when it does not exist.
 */
export class HubReads<M extends ReadMessage = StoredMessage> {
  readonly #storage: Storage
  readonly #messages: MessageSource<M>
  readonly #log: Pick<EventReader, 'greatestId'>
  readonly #clock: Clock
  readonly #settings: HubSettings
  readonly #signingNetwork: () => SigningNetwork
  readonly #following: () => Following | undefined

  constructor(options: ReadsOptions<M>) {
    this.#storage = options.storage
    this.#messages = options.messages
    this.#log = options.log
    this.#signingNetwork = options.signingNetwork
    this.#following = options.following ?? (() => undefined)
    this.#clock = options.clock
    this.#settings = options.settings
  }

  castById(fid: number, hash: Uint8Array): Promise<M> {
    return this.#one(castSlot(fid, hash), `castAddMessage not found for ${fid}`)
  }

  castsByFid(
    fid: number,
    options: { includeRemoves: boolean; from?: number | undefined; to?: number | undefined },
    page: PageRequest,
  ): Promise<Page<M>> {
    if (options.includeRemoves) return this.messagesByFid(fid, MESSAGE_SETS.casts, options, page)
    const { from, to } = options
    const list = { fid, store: MESSAGE_SETS.casts, types: [MessageType.CAST_ADD], from, to }
    return pageOfList(['casts', fid, from, to], page, (plain) =>
      this.#messages.listByFid(list, plain),
    )
  }

  /** All messages of a set by time: adds and removes. `from` and `to` are network seconds, both inclusive. */
  messagesByFid(
    fid: number,
    set: number,
    { from, to }: { from?: number | undefined; to?: number | undefined },
    page: PageRequest,
  ): Promise<Page<M>> {
    return pageOfList(messagesOf(fid, set, { from, to }), page, (plain) =>
      this.#messages.listByFid({ fid, store: set, from, to }, plain),
    )
  }

  castsByParent(parent: Target, page: PageRequest): Promise<Page<M>> {
    const key = castsByParentKey(targetKeyOf(parent))
    return pageOfList(['replies', toHex(key)], page, (plain) =>
      this.#messages.listByTargets([key], plain),
    )
  }

  castsByMention(fid: number, page: PageRequest): Promise<Page<M>> {
    return pageOfList(['mentions', fid], page, (plain) => this.#messages.listByMention(fid, plain))
  }

  reactionById(fid: number, type: number, target: Target): Promise<M> {
    const slot = reactionSlot(fid, type, targetKeyOf(target))
    return this.#one(slot, `reactionAddMessage not found for ${fid}`)
  }

  reactionsByFid(fid: number, type: number | undefined, page: PageRequest): Promise<Page<M>> {
    const slotPrefix = type === undefined ? undefined : Uint8Array.of(type)
    const list = {
      fid,
      store: MESSAGE_SETS.reactions,
      types: [MessageType.REACTION_ADD],
      slotPrefix,
    }
    return pageOfList(['reactions', fid, type], page, (plain) =>
      this.#messages.listByFid(list, plain),
    )
  }

  reactionsByTarget(target: Target, type: number | undefined, page: PageRequest): Promise<Page<M>> {
    const types = type === undefined ? REACTION_TYPES : [type]
    const key = targetKeyOf(target)
    const targets = types.map((one) => reactionsByTargetKey(one, key))
    return pageOfList(['reactions to', toHex(key), type], page, (plain) =>
      this.#messages.listByTargets(targets, plain),
    )
  }

  linkById(fid: number, type: string, targetFid: number): Promise<M> {
    return this.#one(linkSlot(fid, type, targetFid), `Link Add Message not found for ${fid}`)
  }

  linksByFid(fid: number, type: string | undefined, page: PageRequest): Promise<Page<M>> {
    const slotPrefix = type === undefined ? undefined : paddedLinkType(type)
    const list = { fid, store: MESSAGE_SETS.links, types: [MessageType.LINK_ADD], slotPrefix }
    return pageOfList(['links', fid, type], page, (plain) => this.#messages.listByFid(list, plain))
  }

  linksByTarget(fid: number, type: string | undefined, page: PageRequest): Promise<Page<M>> {
    return pageOfList(['links to', fid, type], page, async (plain) => {
      const targets =
        type === undefined
          ? await this.#storage.published.messages.targetsWithPrefix(
              linksByTargetPrefix(fid),
              MAX_LINK_TYPES,
            )
          : [linksByTargetKey(fid, type)]
      return this.#messages.listByTargets(targets, plain)
    })
  }

  userDataById(fid: number, type: number): Promise<M> {
    return this.#one(userDataSlot(fid, type), `UserDataAdd message not found for ${fid}`)
  }

  userDataByFid(fid: number, page: PageRequest): Promise<Page<M>> {
    const list = { fid, store: MESSAGE_SETS.userData, types: [MessageType.USER_DATA_ADD] }
    return pageOfList(['user data', fid], page, (plain) => this.#messages.listByFid(list, plain))
  }

  verificationById(fid: number, address: string): Promise<M> {
    return this.verificationByAddress(fid, addressBytes(address))
  }

  /** `address` is 20 bytes of Ethereum or 32 of Solana. */
  verificationByAddress(fid: number, address: Uint8Array): Promise<M> {
    if (address.length !== ETH_ADDRESS_BYTES && address.length !== SOL_ADDRESS_BYTES) {
      throw notAnAddress()
    }
    const slot = verificationSlot(fid, address)
    return this.#one(slot, `verificationAddMessage not found for ${fid}`)
  }

  verificationsByFid(fid: number, page: PageRequest): Promise<Page<M>> {
    const types = [MessageType.VERIFICATION_ADD_ETH_ADDRESS]
    return pageOfList(['verifications', fid], page, (plain) =>
      this.#messages.listByFid({ fid, store: MESSAGE_SETS.verifications, types }, plain),
    )
  }

  async usernameProofByName(name: string): Promise<HeldNameProof> {
    const kind = usernameKind(name)
    if (kind === 'fname') {
      checkFname(name)
      const proof = await this.#storage.nameProofs.byName(Buffer.from(name))
      if (!proof || proof.fid === 0) throw notFound(`username proof not found for ${name}`)
      return wireProof(proof)
    }
    if (kind === 'ens') checkEnsName(name)
    else checkBasename(name)
    const stored = await this.#storage.published.messages.bySlot(usernameProofSlot(name))
    if (!stored) throw notFound(`username proof not found for ${name}`)
    return proofOf(stored)
  }

  /** Registry names first, then ENS names and basenames. */
  async usernameProofsByFid(fid: number): Promise<HeldNameProof[]> {
    const [registered, messages] = await Promise.all([
      this.#storage.nameProofs.byFid(fid),
      this.#storage.published.messages.listByFid(
        { fid, store: MESSAGE_SETS.usernameProofs, types: [MessageType.USERNAME_PROOF] },
        { size: MAX_PAGE_SIZE },
      ),
    ])
    return [...registered.map(wireProof), ...messages.items.map(proofOf)]
  }

  async eventById(id: number): Promise<StoredEvent> {
    const event = await this.#storage.published.events.byId(id)
    if (!event) throw notFound(`event ${id} not found`)
    return event
  }

  /**
   * Events with ids from `fromId` on that match, at most `limit` and about EVENT_PAGE_BYTES. When there is
   * nothing more, the position is unchanged; a page without matches may have moved it on. When events before
   * the oldest are asked for, the page begins at the oldest and has its id. Throws a Rejection above the newest.
   */
  async events(
    fromId: number,
    limit = EVENTS_PER_PAGE,
    matches?: (event: FeedEventInfo) => boolean,
  ): Promise<EventPage> {
    const events: StoredEvent[] = []
    let nextId = fromId
    let firstId: number | undefined
    for (let read = 0; read < MAX_SCANNED_EVENTS && events.length < limit; ) {
      const wanted = matches ? EVENTS_PER_SCAN : limit
      const found = await this.#storage.published.events.list(nextId, wanted, EVENT_PAGE_BYTES)
      firstId ??= found[0]?.id
      for (const event of found) {
        if (events.length === limit) break
        if (!matches || matches(new EventInfo(event))) events.push(event)
        nextId = event.id + 1
      }
      if (!matches || found.length === 0) break
      read += found.length
      await nextTurn()
    }
    if (firstId === undefined) await refuseFuture(this.#log, fromId, 'from_event_id')
    return {
      events,
      nextId,
      oldestId: await prunedBefore(this.#storage.published.events, fromId, firstId),
    }
  }

  /** The id after the newest event. */
  async nextEventId(): Promise<number> {
    return (await this.#storage.events.newestId()) + 1
  }

  /** Events of a range of ids, at most `limit`, in ascending or descending order. */
  async eventRange(range: EventRange, limit: number): Promise<StoredEvent[]> {
    if (range.shard) checkShard(range.shard, this.#settings.shards, 'shard_index')
    const events = await this.#storage.published.events.range(range, limit)
    if (events.length === 0) await refuseFuture(this.#log, range.from, 'start_id')
    return events
  }

  /** Registered fids in ascending order; with several shards those of one, when it is given. */
  async fids(page: PageRequest, shard?: number): Promise<Page<number>> {
    if (shard) checkShard(shard, this.#settings.shards, 'shard_id')
    return pageOfList(['fids', shard || 0], page, (plain) =>
      this.#storage.accounts.listFids(plain, shard || undefined),
    )
  }

  /** Limits and usage of each message set; zeros for a fid that is not registered. */
  async storageLimitsByFid(fid: number): Promise<StorageLimits> {
    const { network } = this.#settings
    const [rents, usages, ...oldest] = await Promise.all([
      this.#storage.accounts.rents([fid]),
      this.#storage.messages.usage([fid]),
      ...LIMITED_SETS.map(({ number }) =>
        this.#messages.listByFid({ fid, store: number }, { size: 1 }),
      ),
    ])
    const periods = rents.map((rent) => ({ rentedAt: rent.rented_at, units: rent.units }))
    const units = activeUnits(periods, unixSeconds(this.#clock), network)
    const limits = LIMITED_SETS.map((set, i) => ({
      set,
      limit: limitOf(units, set.number),
      used: usages.find((usage) => usage.store === set.number)?.count ?? 0,
      oldest: oldest[i]?.items[0],
    }))
    return { limits, units }
  }

  /** The events that added the active keys of a fid. */
  onChainSignersByFid(fid: number, page: PageRequest): Promise<Page<StoredChainEvent>> {
    return pageOfList(['keys', fid], page, (plain) =>
      this.#storage.accounts.listActiveSigners(fid, plain),
    )
  }

  /** The event that added an active key. */
  async onChainSigner(fid: number, key: Uint8Array): Promise<StoredChainEvent> {
    const signer = await this.#storage.accounts.signer(fid, key)
    if (!signer) throw notFound(`signer ${toHex(key)} not found for fid ${fid}`)
    if (!signer.active) throw notFound('no such active signer')
    const { block_number, log_index } = signer
    const type = OnChainEventType.EVENT_TYPE_SIGNER
    const event = await this.#storage.accounts.event({ fid, type, block_number, log_index })
    if (!event) throw notFound(`signer ${toHex(key)} not found for fid ${fid}`)
    return event
  }

  /** A fid's events of one type, by block and log index. */
  onChainEventsByFid(
    fid: number,
    type: number,
    page: PageRequest,
  ): Promise<Page<StoredChainEvent>> {
    return pageOfList(['chain events', fid, type], page, (plain) =>
      this.#storage.accounts.listEvents(fid, type, plain),
    )
  }

  /** The event that gave an address the fid of which it is the custody address. */
  async idRegistryEventByAddress(address: Uint8Array): Promise<StoredChainEvent> {
    const custody = await this.#storage.accounts.byAddress(address)
    const type = OnChainEventType.EVENT_TYPE_ID_REGISTER
    const event = custody && (await this.#storage.accounts.event({ ...custody, type }))
    if (!event) throw notFound(`no fid has the custody address ${toHex(address)}`)
    return event
  }

  /** The event that gave a fid its present custody address. */
  async idRegistryEventByFid(fid: number): Promise<StoredChainEvent> {
    const custody = await this.#storage.accounts.custody(fid)
    const type = OnChainEventType.EVENT_TYPE_ID_REGISTER
    const event = custody && (await this.#storage.accounts.event({ ...custody, type }))
    if (!event) throw notFound(`no custody address is known of fid ${fid}`)
    return event
  }

  /** What an address is to a fid; nothing at all for a fid that is not registered. */
  async addressUses(fid: number, address: Uint8Array): Promise<AddressUses> {
    const custody = await this.#storage.accounts.custody(fid)
    if (!custody) return { isCustody: false, isAuth: false, isVerified: false }
    const isVerifiable =
      address.length === ETH_ADDRESS_BYTES || address.length === SOL_ADDRESS_BYTES
    const [key, verification] = await Promise.all([
      this.#storage.accounts.signer(fid, address),
      isVerifiable
        ? this.#storage.published.messages.bySlot(verificationSlot(fid, address))
        : undefined,
    ])
    return {
      isCustody: equalBytes(custody.address, address),
      isAuth: key !== undefined && (await this.#isAuthAddress(key)),
      isVerified: verification !== undefined && isAdd(verification.type),
    }
  }

  /** Whether the newest event about a key added it as an address that may authenticate. */
  async #isAuthAddress({ fid, block_number, log_index }: SignerState): Promise<boolean> {
    const type = OnChainEventType.EVENT_TYPE_SIGNER
    const event = await this.#storage.accounts.event({ fid, type, block_number, log_index })
    if (!event) return false
    const { body } = fromBinary(OnChainEventSchema, event.body)
    if (body.case !== 'signerEventBody') return false
    const { eventType, keyType } = body.value
    return eventType === SignerEventType.ADD && keyType === AUTH_KEY_TYPE
  }

  async info(): Promise<HubInfo> {
    const [messages, fids, registeredNames, sizeBytes] = await Promise.all([
      this.#storage.messages.shardCounts(),
      this.#storage.accounts.shardCounts(),
      this.#storage.nameProofs.count(),
      this.#storage.sizeBytes(),
    ])
    return {
      settings: this.#settings,
      signingNetwork: this.#signingNetwork(),
      following: this.#following(),
      messages: sum(messages),
      fids: sum(fids),
      shards: messages.map((count, i) => ({
        messages: count,
        fids: fids[i]!,
        sizeBytes: Math.round(sizeBytes * shareOf(count, messages)),
      })),
      registeredNames,
      sizeBytes,
    }
  }

  async #one(slot: Uint8Array, missing: string): Promise<M> {
    const stored = await this.#messages.bySlot(slot)
    if (!stored || !isAdd(stored.type)) throw notFound(missing)
    return stored
  }
}

type Times = { readonly from?: number | undefined; readonly to?: number | undefined }

/** The list that `messagesByFid` reads. */
const messagesOf = (fid: number, set: number, { from, to }: Times): ListOf => [
  'messages',
  fid,
  set,
  from,
  to,
]

/** The token of a page of `messagesByFid` that ends with this message. */
export function tokenAfter(
  message: MessageKey,
  set: number,
  { reverse, ...times }: Times & { readonly reverse?: boolean | undefined },
): Uint8Array {
  const list = directed(messagesOf(message.fid, set, times), reverse)
  return tokenOf(list, tokenOfKey(message, ['timestamp', 'hash']))
}

/** The oldest event's id if events from `fromId` on have been pruned; `firstId` is the first one that was found. */
export async function prunedBefore(
  events: Pick<PublishedEvents, 'oldestId'>,
  fromId: number,
  firstId: number | undefined,
): Promise<number | undefined> {
  if (fromId === 0 || firstId === undefined || firstId === fromId) return undefined
  const oldest = await events.oldestId()
  return oldest !== undefined && fromId < oldest ? oldest : undefined
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0)

/** The share of a shard with this number of messages. */
const shareOf = (count: number, counts: readonly number[]): number =>
  sum(counts) === 0 ? 1 / counts.length : count / sum(counts)

const notFound = (text: string) => new Rejection('not_found', text)

function targetKeyOf(target: Target): Uint8Array {
  return 'url' in target ? urlTargetKey(target.url) : castTargetKey(target.fid, target.hash)
}

function proofOf(stored: StoredMessage): HeldNameProof {
  const { body } = fromStored(stored).data
  if (body.case !== 'usernameProofBody') throw new TypeError('a username proof has another body')
  return body.value
}

/** The key type of addresses that may authenticate for a fid but not sign messages. */
const AUTH_KEY_TYPE = 2

const ETH_ADDRESS_BYTES = 20
const SOL_ADDRESS_BYTES = 32

/** An address in a query: hex of 20 bytes is Ethereum, anything else must be Solana base58. */
function addressBytes(text: string): Uint8Array {
  const hex = fromHex(text)
  if (hex?.length === ETH_ADDRESS_BYTES) return hex
  try {
    const bytes = base58.decode(text)
    if (bytes.length === SOL_ADDRESS_BYTES) return bytes
  } catch {
    // Not base58 either.
  }
  throw notAnAddress()
}

const notAnAddress = () =>
  new Rejection('not_found', 'Ethereum or Solana address is incorrect', { field: 'address' })
