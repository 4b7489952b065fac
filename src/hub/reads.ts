import { fromBinary } from '@bufbuild/protobuf'
import { base58 } from '@scure/base'
import type { Clock } from '../clock.ts'
import { fromHex, toBase64, toHex } from '../protocol/bytes.ts'
import { networkName } from '../protocol/check.ts'
import { type JsonOptions, messageText, nameProofJson, onChainEventJson } from '../protocol/json.ts'
import { checkBasename, checkEnsName, checkFname, usernameKind } from '../protocol/names.ts'
import { Rejection } from '../protocol/rejection.ts'
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
import {
  activeUnits,
  limitOf,
  UNIT_TYPE_NUMBERS,
  type UnitType,
} from '../protocol/storage-units.ts'
import { MessageType } from '../protocol/wire/message_pb.js'
import { OnChainEventSchema } from '../protocol/wire/onchain_event_pb.js'
import type { StoredChainEvent } from '../storage/accounts.ts'
import type { FidList, StoredMessage } from '../storage/messages.ts'
import { MAX_PAGE_SIZE, type Page, type PageRequest } from '../storage/page.ts'
import type { Storage } from '../storage/storage.ts'
import { eventJson } from './event-json.ts'
import { wireProof } from './names.ts'
import type { HubSettings } from './settings.ts'
import { fromStored } from './stored.ts'

/** A cast or a url that others point at. */
export type Target = { readonly fid: number; readonly hash: Uint8Array } | { readonly url: string }

const REACTION_TYPES = [1, 2] as const
/** Link types of one target that an unfiltered list looks through. */
const MAX_LINK_TYPES = 64
/** Events on one page over HTTP, as in the deployed hub. */
export const EVENTS_PER_PAGE = 1_000

const STORE_NAMES = [
  ['CASTS', MESSAGE_SETS.casts],
  ['LINKS', MESSAGE_SETS.links],
  ['REACTIONS', MESSAGE_SETS.reactions],
  ['USER_DATA', MESSAGE_SETS.userData],
  ['USERNAME_PROOFS', MESSAGE_SETS.usernameProofs],
  ['VERIFICATIONS', MESSAGE_SETS.verifications],
] as const

/** How far the chain that accounts come from has been read. */
export type Following = {
  readonly chainId: number
  readonly headBlock: number | undefined
  readonly followedBlock: number | undefined
  readonly blocksBehind: number | undefined
  readonly secondsBehind: number | undefined
  readonly isCaughtUp: boolean
}

/** Everything the hub can be asked, answered as JSON text. Single reads throw a not_found Rejection. */
export class HubReads {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #settings: HubSettings
  readonly #json: JsonOptions
  readonly #following: () => Following | undefined

  /** `following` says how far a chain is followed, if one is. */
  constructor(
    storage: Storage,
    clock: Clock,
    settings: HubSettings,
    following: () => Following | undefined = () => undefined,
  ) {
    this.#storage = storage
    this.#following = following
    this.#clock = clock
    this.#settings = settings
    this.#json = settings.json
  }

  castById(fid: number, hash: Uint8Array): Promise<string> {
    return this.#one(castSlot(fid, hash), `castAddMessage not found for ${fid}`)
  }

  castsByFid(
    fid: number,
    options: { includeRemoves: boolean; from?: number | undefined; to?: number | undefined },
    page: PageRequest,
  ): Promise<string> {
    const types = options.includeRemoves
      ? [MessageType.CAST_ADD, MessageType.CAST_REMOVE]
      : [MessageType.CAST_ADD]
    const { from, to } = options
    return this.#listByFid({ fid, store: MESSAGE_SETS.casts, types, from, to }, page)
  }

  castsByParent(parent: Target, page: PageRequest): Promise<string> {
    return this.#listByTargets([castsByParentKey(targetKeyOf(parent))], page)
  }

  async castsByMention(fid: number, page: PageRequest): Promise<string> {
    return this.#messagePage(await this.#storage.messages.listByMention(fid, page))
  }

  reactionById(fid: number, type: number, target: Target): Promise<string> {
    const slot = reactionSlot(fid, type, targetKeyOf(target))
    return this.#one(slot, `reactionAddMessage not found for ${fid}`)
  }

  reactionsByFid(fid: number, type: number | undefined, page: PageRequest): Promise<string> {
    const slotPrefix = type === undefined ? undefined : Uint8Array.of(type)
    return this.#listByFid(
      { fid, store: MESSAGE_SETS.reactions, types: [MessageType.REACTION_ADD], slotPrefix },
      page,
    )
  }

  reactionsByTarget(target: Target, type: number | undefined, page: PageRequest): Promise<string> {
    const types = type === undefined ? REACTION_TYPES : [type]
    const key = targetKeyOf(target)
    return this.#listByTargets(
      types.map((one) => reactionsByTargetKey(one, key)),
      page,
    )
  }

  linkById(fid: number, type: string, targetFid: number): Promise<string> {
    return this.#one(linkSlot(fid, type, targetFid), `Link Add Message not found for ${fid}`)
  }

  linksByFid(fid: number, type: string | undefined, page: PageRequest): Promise<string> {
    const slotPrefix = type === undefined ? undefined : paddedLinkType(type)
    return this.#listByFid(
      { fid, store: MESSAGE_SETS.links, types: [MessageType.LINK_ADD], slotPrefix },
      page,
    )
  }

  async linksByTarget(fid: number, type: string | undefined, page: PageRequest): Promise<string> {
    const targets =
      type === undefined
        ? await this.#storage.messages.targetsWithPrefix(linksByTargetPrefix(fid), MAX_LINK_TYPES)
        : [linksByTargetKey(fid, type)]
    return this.#listByTargets(targets, page)
  }

  userDataById(fid: number, type: number): Promise<string> {
    return this.#one(userDataSlot(fid, type), `UserDataAdd message not found for ${fid}`)
  }

  userDataByFid(fid: number, page: PageRequest): Promise<string> {
    return this.#listByFid(
      { fid, store: MESSAGE_SETS.userData, types: [MessageType.USER_DATA_ADD] },
      page,
    )
  }

  verificationById(fid: number, address: string): Promise<string> {
    const slot = verificationSlot(fid, addressBytes(address))
    return this.#one(slot, `verificationAddMessage not found for ${fid}`)
  }

  verificationsByFid(fid: number, page: PageRequest): Promise<string> {
    const types = [MessageType.VERIFICATION_ADD_ETH_ADDRESS]
    return this.#listByFid({ fid, store: MESSAGE_SETS.verifications, types }, page)
  }

  async usernameProofByName(name: string): Promise<string> {
    const kind = usernameKind(name)
    if (kind === 'fname') {
      checkFname(name)
      const proof = await this.#storage.nameProofs.byName(Buffer.from(name))
      if (!proof || proof.fid === 0) throw notFound(`username proof not found for ${name}`)
      return JSON.stringify(nameProofJson(wireProof(proof)))
    }
    if (kind === 'ens') checkEnsName(name)
    else checkBasename(name)
    const stored = await this.#storage.messages.bySlot(usernameProofSlot(name))
    if (!stored) throw notFound(`username proof not found for ${name}`)
    return JSON.stringify(proofOf(stored))
  }

  async usernameProofsByFid(fid: number): Promise<string> {
    const [registered, messages] = await Promise.all([
      this.#storage.nameProofs.byFid(fid),
      this.#storage.messages.listByFid(
        { fid, store: MESSAGE_SETS.usernameProofs, types: [MessageType.USERNAME_PROOF] },
        { size: MAX_PAGE_SIZE },
      ),
    ])
    const proofs = registered.map((proof) => nameProofJson(wireProof(proof)))
    return JSON.stringify({ proofs: [...proofs, ...messages.items.map(proofOf)] })
  }

  async eventById(id: number): Promise<string> {
    const event = await this.#storage.events.byId(id)
    if (!event) throw notFound(`event ${id} not found`)
    return eventJson(event, this.#json)
  }

  /**
   * Events from an id on. An empty page leaves the position as it was; a position before the oldest
   * event begins there and says so.
   */
  async events(fromId: number): Promise<string> {
    const events = await this.#storage.events.list(fromId, EVENTS_PER_PAGE)
    const next = events.length === 0 ? fromId : events.at(-1)!.id + 1
    const oldest = await this.#prunedBefore(fromId, events[0]?.id)
    const head = oldest === undefined ? '' : `"oldestEventId":${oldest},`
    const texts = events.map((event) => eventJson(event, this.#json))
    return `{"nextPageEventId":${next},${head}"events":[${texts.join(',')}]}`
  }

  /** The oldest event's id when the reader asked for events that are gone. */
  async #prunedBefore(fromId: number, firstId: number | undefined): Promise<number | undefined> {
    if (fromId === 0 || firstId === undefined || firstId === fromId) return undefined
    const oldest = await this.#storage.events.oldestId()
    return oldest !== undefined && fromId < oldest ? oldest : undefined
  }

  async fids(page: PageRequest): Promise<string> {
    const { items, next } = await this.#storage.accounts.listFids(page)
    return JSON.stringify({ fids: items, nextPageToken: tokenText(next) })
  }

  async storageLimitsByFid(fid: number): Promise<string> {
    const { network } = this.#settings
    const [rents, usages, ...oldest] = await Promise.all([
      this.#storage.accounts.rents([fid]),
      this.#storage.messages.usage([fid]),
      ...STORE_NAMES.map(([, store]) => this.#storage.messages.oldest([{ fid, store, excess: 1 }])),
    ])
    const periods = rents.map((rent) => ({ rentedAt: rent.rented_at, units: rent.units }))
    const units = activeUnits(periods, Math.floor(this.#clock.now() / 1000), network)
    const limits = STORE_NAMES.map(([name, store], i) => ({
      storeType: `STORE_TYPE_${name}`,
      name,
      limit: limitOf(units, store),
      used: usages.find((usage) => usage.store === store)?.count ?? 0,
      earliestTimestamp: oldest[i]?.[0]?.timestamp ?? 0,
      earliestHash: toBase64(oldest[i]?.[0]?.hash ?? new Uint8Array(0)),
    }))
    const unitDetails = (Object.keys(UNIT_TYPE_NUMBERS) as UnitType[]).map((type) => ({
      unitType: `UNIT_TYPE_${type === 'legacy' ? 'LEGACY' : type.slice(1)}`,
      unitSize: units[type],
    }))
    return JSON.stringify({
      limits,
      units: units.legacy + units.u2024 + units.u2025,
      unitDetails,
    })
  }

  async onChainSignersByFid(fid: number, page: PageRequest): Promise<string> {
    return chainEventPage(await this.#storage.accounts.listActiveSigners(fid, page))
  }

  async onChainSigner(fid: number, key: Uint8Array): Promise<string> {
    const signer = await this.#storage.accounts.signer(fid, key)
    if (!signer) throw notFound(`signer ${toHex(key)} not found for fid ${fid}`)
    if (!signer.active) throw notFound('no such active signer')
    const { block_number, log_index } = signer
    const event = await this.#storage.accounts.event({ fid, type: 1, block_number, log_index })
    if (!event) throw notFound(`signer ${toHex(key)} not found for fid ${fid}`)
    return JSON.stringify(chainEventJson(event))
  }

  async onChainEventsByFid(fid: number, type: number, page: PageRequest): Promise<string> {
    return chainEventPage(await this.#storage.accounts.listEvents(fid, type, page))
  }

  async idRegistryEventByAddress(address: Uint8Array): Promise<string> {
    const custody = await this.#storage.accounts.byAddress(address)
    const event = custody && (await this.#storage.accounts.event({ ...custody, type: 3 }))
    if (!event) throw notFound(`no fid has the custody address ${toHex(address)}`)
    return JSON.stringify(chainEventJson(event))
  }

  async info(withStats: boolean): Promise<string> {
    const { nickname, operatorFid, version, network } = this.#settings
    const following = this.#following()
    const [messages, fids, size] = await Promise.all([
      this.#storage.messages.count(),
      this.#storage.accounts.count(),
      this.#storage.sizeBytes(),
    ])
    const stats = {
      numMessages: messages,
      numFidEvents: fids,
      numFnameEvents: await this.#storage.nameProofs.count(),
      numFidRegistrations: fids,
      approxSize: size,
    }
    const shard = {
      shardId: 1,
      maxHeight: 0,
      numMessages: messages,
      numFidRegistrations: fids,
      approxSize: size,
      blockDelay: 0,
      mempoolSize: 0,
    }
    return JSON.stringify({
      version,
      isSyncing: following !== undefined && !following.isCaughtUp,
      nickname,
      network: networkName(network),
      rootHash: '',
      ...(withStats && { dbStats: stats }),
      peerId: '',
      hubOperatorFid: operatorFid,
      numShards: 1,
      shardInfos: [shard],
      ...(following && { chain: chainJson(following) }),
    })
  }

  async #one(slot: Uint8Array, missing: string): Promise<string> {
    const stored = await this.#storage.messages.bySlot(slot)
    if (!stored || !isAdd(stored.type)) throw notFound(missing)
    return this.#text(stored)
  }

  async #listByFid(list: FidList, page: PageRequest): Promise<string> {
    return this.#messagePage(await this.#storage.messages.listByFid(list, page))
  }

  async #listByTargets(targets: readonly Uint8Array[], page: PageRequest): Promise<string> {
    return this.#messagePage(await this.#storage.messages.listByTargets(targets, page))
  }

  #messagePage({ items, next }: Page<StoredMessage>): string {
    const texts = items.map((item) => this.#text(item))
    return `{"messages":[${texts.join(',')}],"nextPageToken":"${tokenText(next)}"}`
  }

  #text(stored: StoredMessage): string {
    return messageText(fromStored(stored), this.#json)
  }
}

const notFound = (text: string) => new Rejection('not_found', text)

const tokenText = (token: Uint8Array | undefined) => (token ? toBase64(token) : '')

function targetKeyOf(target: Target): Uint8Array {
  return 'url' in target ? urlTargetKey(target.url) : castTargetKey(target.fid, target.hash)
}

function proofOf(stored: StoredMessage) {
  const { body } = fromStored(stored).data
  if (body.case !== 'usernameProofBody') throw new TypeError('a username proof has another body')
  return nameProofJson(body.value)
}

/** What is not known yet is null. */
const chainJson = (following: Following) => ({
  chainId: following.chainId,
  headBlock: following.headBlock ?? null,
  followedBlock: following.followedBlock ?? null,
  blocksBehind: following.blocksBehind ?? null,
  secondsBehind: following.secondsBehind ?? null,
})

const chainEventJson = (event: StoredChainEvent) =>
  onChainEventJson(fromBinary(OnChainEventSchema, event.body))

function chainEventPage({ items, next }: Page<StoredChainEvent>): string {
  return JSON.stringify({ events: items.map(chainEventJson), nextPageToken: tokenText(next) })
}

const ETH_ADDRESS_BYTES = 20
const SOL_ADDRESS_BYTES = 32

/** A 42-character text is Ethereum hex, anything else Solana base58. */
function addressBytes(text: string): Uint8Array {
  const hex = fromHex(text)
  if (hex?.length === ETH_ADDRESS_BYTES) return hex
  try {
    const bytes = base58.decode(text)
    if (bytes.length === SOL_ADDRESS_BYTES) return bytes
  } catch {
    // Not base58 either.
  }
  throw new Rejection('not_found', 'Ethereum or Solana address is incorrect', { field: 'address' })
}
