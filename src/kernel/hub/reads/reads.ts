import { fromBinary } from '@bufbuild/protobuf'
import { base58 } from '@scure/base'
import type { SigningNetwork } from '../../accounts/signatures/signing-network.ts'
import { type Clock, unixSeconds } from '../../base/clock.ts'
import { BatchLoader } from '../../base/concurrency.ts'
import { directed, type ListOf, pageOfList, tokenOf } from '../../http/list-tags.ts'
import { AUTH_ADDRESS_KEY_TYPE, authAddressKey } from '../../protocol/auth-address.ts'
import { equalBytes, fromHex, toHex } from '../../protocol/codec/bytes.ts'
import { castAddKind, castSet } from '../../protocol/kinds/cast-add.ts'
import type { MessageKind, MessageSet } from '../../protocol/kinds/kind.ts'
import { ALL_MESSAGE_SETS } from '../../protocol/kinds/kinds.ts'
import { linkAddKind } from '../../protocol/kinds/link.ts'
import { reactionAddKind } from '../../protocol/kinds/reaction.ts'
import { userDataAddKind } from '../../protocol/kinds/user-data.ts'
import { verificationAddKind } from '../../protocol/kinds/verification.ts'
import { checkBasename, checkEnsName, checkFname, usernameKind } from '../../protocol/names.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { ADDRESS_BYTES, SOL_ADDRESS_BYTES } from '../../protocol/sizes.ts'
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
} from '../../protocol/slots.ts'
import { activeUnits, type HeldUnits, limitOf } from '../../protocol/storage-units.ts'
import { MessageType, type UserNameProof } from '../../protocol/wire/message_pb.js'
import {
  OnChainEventSchema,
  OnChainEventType,
  SignerEventType,
} from '../../protocol/wire/onchain_event_pb.js'
import type { Signer } from '../../protocol/wire/rpc_pb.js'
import type { Versions } from '../../storage/engines/versions.ts'
import type { Envelope, EnvelopeReader, SentMessage } from '../../storage/messages/envelopes.ts'
import { fromStored } from '../../storage/messages/message-rows.ts'
import { tokenOfKey } from '../../storage/reads/list-key.ts'
import type { FidList, MessageKey } from '../../storage/reads/message-lists.ts'
import { MAX_PAGE_SIZE, type Page, type PageRequest } from '../../storage/reads/page.ts'
import type { Storage } from '../../storage/storage.ts'
import { STORE_ID_CURSOR } from '../../storage/store-id.ts'
import type { SignerState, StoredChainEvent } from '../../storage/tables/accounts.ts'
import type { StoredNameProof } from '../../storage/tables/name-proofs.ts'
import type { FidScope, ToldNames } from '../../storage/upstream.ts'
import { EventReads } from '../events/event-reads.ts'
import type { LogEnd } from '../events/future-event.ts'
import { wireProof, wireToldName } from '../names.ts'
import type { HubSettings } from '../settings.ts'
import { readSigner, readSigners, type Signers } from './signers.ts'

/** A cast or a url that replies and reactions point at. */
export type Target = { readonly fid: number; readonly hash: Uint8Array } | { readonly url: string }

const REACTION_TYPES = [1, 2] as const
/** Most link types of one target that a list without a type merges. */
const MAX_LINK_TYPES = 64
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

/** The hub whose data these are, when this server only mirrors them. */
export type MirrorInfo = {
  /** Host and port. */
  readonly host: string
  /** What runs there, and its version. */
  readonly kind: string
  readonly scope: 'all' | 'chosen'
  /** People who are mirrored. */
  readonly people: number
  readonly lagSeconds: number
  /** Whether everybody was read at least once. */
  readonly isComplete: boolean
  /** What the mirror takes from its source without verifying it. */
  readonly trust: string
  readonly submits: 'refuse' | 'forward'
}

export type ReadsOptions = {
  /** Whether this server mirrors some people of another hub only. */
  readonly isPartial?: boolean
  /** Asks the registry for names that it has given since. */
  readonly askForName?: () => Promise<void>
  readonly mirror?: (() => Promise<MirrorInfo> | undefined) | undefined
  /** The name that the operator has given the server in place of the one of its settings. */
  readonly givenName: () => Promise<string | undefined>
  /** Standbys are read where there are some; what they do not have yet is read from the primary. */
  readonly storage: Storage
  /** The log itself, where `storage` may be a standby that has not all of it yet. */
  readonly log: LogEnd
  readonly clock: Clock
  readonly settings: HubSettings
  readonly signingNetwork: () => SigningNetwork
  /** The progress of the chain follower, if there is one. */
  readonly following?: (() => Following | undefined) | undefined
}

export type AddressUses = {
  readonly isCustody: boolean
  readonly isAuth: boolean
  readonly isVerified: boolean
}

/** What an author's list of messages is filtered by. */
type ListFilters = Omit<FidList, 'fid' | 'store' | 'types'>

type StorageLimit = {
  readonly set: MessageSet
  readonly limit: number
  readonly used: number
  /** The message that is pruned first. */
  readonly oldest: { readonly timestamp: number; readonly hash: Uint8Array } | undefined
}

export type StorageLimits = { readonly limits: readonly StorageLimit[]; readonly units: HeldUnits }

export type HubInfo = {
  readonly settings: HubSettings
  /** What the operator calls the server. */
  readonly nickname: string
  readonly signingNetwork: SigningNetwork
  readonly following: Following | undefined
  readonly mirror: MirrorInfo | undefined
  readonly messages: number
  readonly fids: number
  readonly registeredNames: number
  readonly sizeBytes: number
  /** Another one after a reset; undefined for data that no server has started on. */
  readonly storeId: string | undefined
}

/** Whether something that this server follows is not read to the end. */
export const isSyncing = ({ following, mirror }: Pick<HubInfo, 'following' | 'mirror'>): boolean =>
  (following !== undefined && !following.isCaughtUp) || (mirror !== undefined && !mirror.isComplete)

/**
 * Everything the hub can be asked, as stored messages, rows and decoded values: json-presenter.ts and
 * protobuf-presenter.ts write them. Reads of one thing throw a not_found Rejection when it does not exist.
 */
export class HubReads {
  /** Tells whether an answer may have changed; undefined where other processes write, too. */
  readonly versions: Versions | undefined
  readonly events: EventReads
  readonly #storage: Storage
  readonly #messages: EnvelopeReader
  readonly #bySlot: (slot: Uint8Array) => Promise<Envelope | undefined>
  readonly #clock: Clock
  readonly #settings: HubSettings
  readonly #isPartial: boolean
  readonly #askForName: (() => Promise<void>) | undefined
  readonly #signingNetwork: () => SigningNetwork
  readonly #following: () => Following | undefined
  readonly #mirror: ReadsOptions['mirror']
  readonly #givenName: ReadsOptions['givenName']

  constructor(options: ReadsOptions) {
    const { storage } = options
    this.#storage = { ...storage, ...storage.replica }
    this.#messages = storage.replica.published.envelopes
    this.#bySlot = batchedBySlot(storage)
    this.versions = storage.versions
    this.events = new EventReads(this.#storage, options.log)
    this.#signingNetwork = options.signingNetwork
    this.#following = options.following ?? (() => undefined)
    this.#mirror = options.mirror
    this.#givenName = options.givenName
    this.#clock = options.clock
    this.#settings = options.settings
    this.#isPartial = options.isPartial ?? false
    this.#askForName = options.askForName
  }

  castById(fid: number, hash: Uint8Array): Promise<Envelope> {
    return this.#one(castSlot(fid, hash), `castAddMessage not found for ${fid}`)
  }

  /** Casts, and with `includeRemoves` the messages that removed casts. */
  castsByFid(
    fid: number,
    { includeRemoves, ...filters }: ListFilters & { readonly includeRemoves: boolean },
    page: PageRequest,
  ): Promise<Page<Envelope>> {
    return includeRemoves
      ? this.messagesByFid(fid, castSet.number, filters, page)
      : this.#addsByFid(castAddKind, fid, filters, page)
  }

  /** All messages of a set by time: adds and removes. */
  messagesByFid(
    fid: number,
    set: number,
    filters: ListFilters,
    page: PageRequest,
  ): Promise<Page<Envelope>> {
    return this.#listByFid({ fid, store: set, ...filters }, page)
  }

  castsByParent(parent: Target, page: PageRequest): Promise<Page<Envelope>> {
    const key = replyTarget(parent)
    return pageOfList(['replies', toHex(key)], page, (plain) =>
      this.#messages.listByTargets([key], plain),
    )
  }

  castsByMention(fid: number, page: PageRequest): Promise<Page<Envelope>> {
    return pageOfList(['mentions', fid], page, (plain) => this.#messages.listByMention(fid, plain))
  }

  reactionById(fid: number, type: number, target: Target): Promise<Envelope> {
    const slot = reactionSlot(fid, type, targetKeyOf(target))
    return this.#one(slot, `reactionAddMessage not found for ${fid}`)
  }

  reactionsByFid(
    fid: number,
    type: number | undefined,
    page: PageRequest,
    filters: ListFilters = {},
  ): Promise<Page<Envelope>> {
    const slotPrefix = type === undefined ? undefined : Uint8Array.of(type)
    return this.#addsByFid(reactionAddKind, fid, { ...filters, slotPrefix }, page)
  }

  reactionsByTarget(
    target: Target,
    type: number | undefined,
    page: PageRequest,
  ): Promise<Page<Envelope>> {
    const list = ['reactions to', toHex(targetKeyOf(target)), type]
    return pageOfList(list, page, (plain) =>
      this.#messages.listByTargets(reactionTargets(target, type), plain),
    )
  }

  linkById(fid: number, type: string, targetFid: number): Promise<Envelope> {
    return this.#one(linkSlot(fid, type, targetFid), `Link Add Message not found for ${fid}`)
  }

  linksByFid(
    fid: number,
    type: string | undefined,
    page: PageRequest,
    filters: ListFilters = {},
  ): Promise<Page<Envelope>> {
    const slotPrefix = type === undefined ? undefined : paddedLinkType(type)
    return this.#addsByFid(linkAddKind, fid, { ...filters, slotPrefix }, page)
  }

  linksByTarget(fid: number, type: string | undefined, page: PageRequest): Promise<Page<Envelope>> {
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

  userDataById(fid: number, type: number): Promise<Envelope> {
    return this.#one(userDataSlot(fid, type), `UserDataAdd message not found for ${fid}`)
  }

  userDataByFid(fid: number, page: PageRequest, filters: ListFilters = {}) {
    return this.#addsByFid(userDataAddKind, fid, filters, page)
  }

  verificationById(fid: number, address: string): Promise<Envelope> {
    return this.verificationByAddress(fid, addressBytes(address))
  }

  /** `address` is 20 bytes of Ethereum or 32 of Solana. */
  verificationByAddress(fid: number, address: Uint8Array): Promise<Envelope> {
    if (address.length !== ADDRESS_BYTES && address.length !== SOL_ADDRESS_BYTES) {
      throw notAnAddress()
    }
    const slot = verificationSlot(fid, address)
    return this.#one(slot, `verificationAddMessage not found for ${fid}`)
  }

  verificationsByFid(fid: number, page: PageRequest, filters: ListFilters = {}) {
    return this.#addsByFid(verificationAddKind, fid, filters, page)
  }

  async usernameProofByName(name: string): Promise<HeldNameProof> {
    const kind = usernameKind(name)
    if (kind === 'fname') {
      checkFname(name)
      const proof = (await this.#registryProof(name)) ?? (await this.#askForProof(name))
      if (!proof) throw notFound(`username proof not found for ${name}`)
      return wireProof(proof)
    }
    if (kind === 'ens') checkEnsName(name)
    else checkBasename(name)
    const stored = await this.#storage.published.messages.bySlot(usernameProofSlot(name))
    if (stored) return proofOf(stored)
    const told = await this.#toldNames?.byName(Buffer.from(name))
    if (!told) throw notFound(`username proof not found for ${name}`)
    return wireToldName(told)
  }

  /** Registry names first, then ENS names and basenames. */
  async #registryProof(name: string): Promise<StoredNameProof | undefined> {
    const proof = await this.#storage.nameProofs.byName(Buffer.from(name))
    return proof?.fid === 0 ? undefined : proof
  }

  /** The registry may have given the name since it was last asked, for instance while it could not be reached. */
  async #askForProof(name: string): Promise<StoredNameProof | undefined> {
    if (!this.#askForName) return undefined
    await this.#askForName()
    return this.#registryProof(name)
  }

  async usernameProofsByFid(fid: number): Promise<HeldNameProof[]> {
    const [registered, told, messages] = await Promise.all([
      this.#storage.nameProofs.byFid(fid),
      this.#toldNames?.byFid(fid) ?? [],
      this.#storage.published.messages.listByFid(
        { fid, store: MESSAGE_SETS.usernameProofs, types: [MessageType.USERNAME_PROOF] },
        { size: MAX_PAGE_SIZE },
      ),
    ])
    return [...registered.map(wireProof), ...messages.items.map(proofOf), ...told.map(wireToldName)]
  }

  /** Registered fids in ascending order. */
  fids(page: PageRequest): Promise<Page<number>> {
    return pageOfList(['fids'], page, (plain) => this.#storage.accounts.listFids(plain))
  }

  /** Whether this server mirrors some people only. */
  get isPartial(): boolean {
    return this.#isPartial
  }

  /** Why a read by fid may lack what there is; undefined when it does not, and for other reads. */
  async scopeOf(query: object): Promise<FidScope | undefined> {
    if (!this.#isPartial || !('fid' in query) || typeof query.fid !== 'number') return undefined
    return this.#storage.schema?.upstream?.scopeOf(this.#storage, query.fid)
  }

  /** Limits and usage of each message set; zeros for a fid that is not registered. */
  async storageLimitsByFid(fid: number): Promise<StorageLimits> {
    const [holdings, usages, allowed, ...oldest] = await Promise.all([
      this.#storage.storageLends.holdings([fid]),
      this.#storage.messages.usage([fid]),
      this.#sourceLimits(fid),
      ...LIMITED_SETS.map(({ number }) =>
        this.#messages.listByFid({ fid, store: number }, { size: 1 }),
      ),
    ])
    const units = activeUnits(holdings.of(fid), unixSeconds(this.#clock), this.#settings)
    const limits = LIMITED_SETS.map((set, i) => ({
      set,
      limit: allowed?.get(set.number) ?? limitOf(units, set.number),
      used: usages.find((usage) => usage.store === set.number)?.count ?? 0,
      oldest: oldest[i]?.items[0],
    }))
    return { limits, units }
  }

  get #toldNames(): ToldNames | undefined {
    const { schema } = this.#storage
    return schema?.upstream && this.#storage.of(schema.upstream.names)
  }

  /** The limits of the hub whose data these are, which knows what counted there. */
  async #sourceLimits(fid: number): Promise<ReadonlyMap<number, number> | undefined> {
    if (!this.#settings.isMirror) return undefined
    return this.#storage.schema?.upstream?.limitsOf(this.#storage, fid)
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

  /** An active key of a fid, by a transaction or by a message. */
  signer(fid: number, key: Uint8Array): Promise<Signer> {
    return readSigner(this.#storage, fid, key)
  }

  /** The active keys of a fid, and the nonces that these apps have used. */
  signers(fid: number, page: PageRequest, requesterFids: readonly number[]): Promise<Signers> {
    return readSigners(this.#storage, fid, page, requesterFids)
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
    const isVerifiable = address.length === ADDRESS_BYTES || address.length === SOL_ADDRESS_BYTES
    const isAddress = address.length === ADDRESS_BYTES
    const [keys, verification] = await Promise.all([
      this.#storage.accounts.signers(
        [address, ...(isAddress ? [authAddressKey(address)] : [])].map((key) => ({ fid, key })),
      ),
      isVerifiable
        ? this.#storage.published.messages.bySlot(verificationSlot(fid, address))
        : undefined,
    ])
    return {
      isCustody: equalBytes(custody.address, address),
      isAuth: (await Promise.all(keys.map((key) => this.#isAuthAddress(key)))).includes(true),
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
    return eventType === SignerEventType.ADD && keyType === AUTH_ADDRESS_KEY_TYPE
  }

  async info(): Promise<HubInfo> {
    const [messages, fids, registeredNames, sizeBytes, storeId, name, mirror] = await Promise.all([
      this.#storage.messages.count(),
      this.#storage.accounts.count(),
      this.#storage.nameProofs.count(),
      this.#storage.sizeBytes(),
      this.#storage.cursors.get(STORE_ID_CURSOR),
      this.#givenName(),
      this.#mirror?.(),
    ])
    return {
      settings: this.#settings,
      nickname: name || this.#settings.nickname,
      signingNetwork: this.#signingNetwork(),
      following: this.#following(),
      mirror,
      messages,
      fids,
      registeredNames,
      sizeBytes,
      storeId,
    }
  }

  #addsByFid(kind: MessageKind, fid: number, filters: ListFilters, page: PageRequest) {
    const list = { ...filters, fid, store: kind.set!.number, types: [kind.type] }
    return this.#listByFid(list, page)
  }

  #listByFid(list: FidList, page: PageRequest): Promise<Page<Envelope>> {
    return pageOfList(nameOf(list), page, (plain) => this.#messages.listByFid(list, plain))
  }

  async #one(slot: Uint8Array, missing: string): Promise<Envelope> {
    const stored = await this.#bySlot(slot)
    if (!stored || !isAdd(stored.type)) throw notFound(missing)
    return stored
  }
}

/** Everything that chooses the messages of a list, in an order that does not depend on the caller. */
const nameOf = (list: FidList): ListOf => [
  'messages',
  ...Object.entries(list)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
]

/** The token of a page of `messagesByFid` that ends with this message. */
export function tokenAfter(
  message: MessageKey,
  set: number,
  { reverse, ...filters }: ListFilters & { readonly reverse?: boolean | undefined },
): Uint8Array {
  const list = directed(nameOf({ fid: message.fid, store: set, ...filters }), reverse)
  return tokenOf(list, tokenOfKey(message, ['timestamp', 'hash']))
}

/** Messages of one statement: each may have some kilobytes. */
const MAX_SLOTS = 128

/** Reads messages by slot; the slots of one turn of the event loop are read with one statement. */
function batchedBySlot({ published, replica }: Storage): EnvelopeReader['bySlot'] {
  const primary = published.envelopes
  const standby = replica.published.envelopes
  const loader = new BatchLoader(MAX_SLOTS, async (slots: readonly Uint8Array[]) => {
    const found = await standby.bySlots(slots)
    const missing = slots.filter((_, i) => !found[i])
    if (standby === primary || missing.length === 0) return found
    const others = (await primary.bySlots(missing)).values()
    return found.map((message) => message ?? others.next().value)
  })
  return (slot) => loader.load(slot)
}

const notFound = (text: string) => new Rejection('not_found', text)

/** The target of replies. */
export const replyTarget = (parent: Target): Uint8Array => castsByParentKey(targetKeyOf(parent))

/** The targets of reactions, of one type or of all. */
export function reactionTargets(target: Target, type: number | undefined): Uint8Array[] {
  const key = targetKeyOf(target)
  const types = type === undefined ? REACTION_TYPES : [type]
  return types.map((one) => reactionsByTargetKey(one, key))
}

function targetKeyOf(target: Target): Uint8Array {
  return 'url' in target ? urlTargetKey(target.url) : castTargetKey(target.fid, target.hash)
}

function proofOf(stored: SentMessage): HeldNameProof {
  const { body } = fromStored(stored).data
  if (body.case !== 'usernameProofBody') throw new TypeError('a username proof has another body')
  return body.value
}

/** An address in a query: hex of 20 bytes is Ethereum, anything else must be Solana base58. */
function addressBytes(text: string): Uint8Array {
  const hex = fromHex(text)
  if (hex?.length === ADDRESS_BYTES) return hex
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
