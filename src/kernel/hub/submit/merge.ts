import { encodeList } from '../../protocol/codec/envelope.ts'
import { compacts, decideMerge } from '../../protocol/merge.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { gaslessKeySlot, isAdd, MESSAGE_SETS, targetFidOfSlot } from '../../protocol/slots.ts'
import { isLimited, limitOf, type Units, unitCount } from '../../protocol/storage-units.ts'
import { HubEventType } from '../../protocol/wire/hub_event_pb.js'
import { MessageType } from '../../protocol/wire/message_pb.js'
import { EventLog } from '../../storage/messages/event-log.ts'
import type { NewEvent } from '../../storage/messages/events.ts'
import { encodeStored, envelopeOf } from '../../storage/messages/message-rows.ts'
import {
  type NewMessage,
  type StoredMessage,
  storedBytes,
} from '../../storage/messages/messages.ts'
import { MAX_PAGE_SIZE } from '../../storage/reads/page.ts'
import type { Writer } from '../../storage/storage.ts'
import type { ModerationStatus } from '../../storage/tables/accounts.ts'
import type { Upstream } from '../../storage/upstream.ts'
import { appendRemoval, type Loss, lossesBy, revokeLostClaims } from '../removal.ts'
import type { Authority } from '../settings.ts'
import { type Blocks, checkBlocks, NO_BLOCKS, readBlocks } from './blocks.ts'
import type { Candidate, CheckedRow } from './candidate.ts'
import { isKeyMessage } from './gasless-keys.ts'
import { checkDisk, fullAccount, type Growth, growFor } from './grow.ts'
import { compactStateOf, type MergeState, readMergeState, type SenderState } from './merge-state.ts'
import { OldestFirst } from './oldest-first.ts'
import { checkOwnership } from './ownership.ts'
import { FidQuota, readUsedQuotas } from './quota.ts'
import { isVouchedFor, type Vouched } from './vouched-key.ts'

/** The id of the event that reports the merge, or the reason why the message was refused. */
export type Outcome = { readonly id: number } | Rejection

export type MergeContext = {
  readonly nowMs: number
  readonly network: number
  readonly storageEnds: boolean
  readonly enforceBlocks: boolean
  /**
   * With `source` storage limits, quotas and pruning are left to the mirrored hub, and a key that was removed since may have
   * signed: whether the hub was right to take a message then cannot be found out now.
   */
  readonly authority: Authority
  /** Where storage grows in place of pruning by count: on a ledger of this server. */
  readonly growth?: Growth | undefined
  readonly upstream?: Upstream | undefined
  readonly vouched?: Vouched | undefined
  /** The mirrored hub has these links together with a compact state that leaves them out. */
  readonly besideCompactStates?: boolean | undefined
}

/** A fid may have compact states for this many link types; each can hold 64 KiB of targets. */
const MAX_COMPACT_STATES_PER_FID = 16
/** The same for each storage unit, so that what a fid keeps grows with the storage that it has. */
const COMPACT_STATES_PER_UNIT = 4

const compactStateLimit = (units: Units): number =>
  Math.min(MAX_COMPACT_STATES_PER_FID, COMPACT_STATES_PER_UNIT * unitCount(units))

/**
 * Merges checked messages whose signatures are valid, in order, in the caller's transaction. Every
 * message gets its own outcome; a refused message changes nothing. The number of statements does not
 * depend on the size of the batch. A transaction that writes other events, too, gives its log: ids are given once.
 */
export async function mergeBatch(
  tx: Writer,
  candidates: readonly Candidate[],
  context: MergeContext,
  log = new EventLog(tx, context.nowMs),
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const run of runsOf(candidates)) {
    for (let rest = run; rest.length > 0; ) {
      const decided = await mergeRun(tx, log, rest, context)
      outcomes.push(...decided)
      rest = rest.slice(decided.length)
    }
  }
  return outcomes
}

/**
 * Splits a batch into runs that are decided in memory and then written. A compact state may delete any
 * number of links, including those of this batch, so it is a run by itself.
 */
function runsOf(candidates: readonly Candidate[]): Candidate[][] {
  const runs: Candidate[][] = []
  let open: Candidate[] | undefined
  for (const candidate of candidates) {
    if (candidate.row.type === MessageType.LINK_COMPACT_STATE) {
      runs.push([candidate])
      open = undefined
    } else if (open) open.push(candidate)
    else {
      open = [candidate]
      runs.push(open)
    }
  }
  return runs
}

/**
 * Merges the candidates up to the first one that depends on what the others cause in the database.
 * Returns the outcomes of those it merged, at least one.
 */
async function mergeRun(
  tx: Writer,
  log: EventLog,
  candidates: readonly Candidate[],
  context: MergeContext,
): Promise<Outcome[]> {
  const { nowMs, network, storageEnds, enforceBlocks, upstream } = context
  const isOwn = context.authority === 'own'
  const now = { nowMs, network, storageEnds, upstream }
  const [found, blocks, used] = await Promise.all([
    readMergeState(tx, candidates, now),
    enforceBlocks ? readBlocks(tx, candidates) : NO_BLOCKS,
    isOwn ? readUsedQuotas(tx, [...new Set(candidates.map(({ row }) => String(row.fid)))]) : [],
  ])
  const { growth } = context
  const hasGrown = growth && (await growFor(tx, log, found, candidates, { ...growth, nowMs }))
  const state = hasGrown ? await readMergeState(tx, candidates, now) : found
  const oldest = isOwn && !growth ? await readOldest(tx, state, candidates) : NOTHING_TO_PRUNE
  const run = new Run({ state, blocks, oldest, quota: new FidQuota(used), log, context })
  const outcomes: Outcome[] = []
  for (const candidate of candidates) {
    if (run.mustEndBefore(candidate)) break
    outcomes.push(run.merge(candidate))
  }
  await run.write(tx)
  if (candidates[0] && outcomes[0] && 'id' in outcomes[0]) {
    await compactLinks(tx, candidates[0])
  }
  await revokeLostClaims(tx, log, run.losses)
  await log.flush()
  return outcomes
}

const NOTHING_TO_PRUNE: ReadonlyMap<number, OldestFirst> = new Map()

/** Reads the oldest messages of each (fid, store) that this run may fill beyond its limit. */
async function readOldest(
  tx: Writer,
  state: MergeState,
  candidates: readonly Candidate[],
): Promise<Map<number, OldestFirst>> {
  const incoming = new Map<number, { fid: number; store: number; count: number }>()
  for (const { row } of candidates) {
    const { fid, store } = row
    incoming.getOrInsertComputed(listKey(row), () => ({ fid, store, count: 0 })).count++
  }
  const lists = [...incoming.values()].flatMap(({ fid, store, count }) => {
    const limit = limitOf(state.units(fid), store)
    const excess = state.usage(fid, store) + count - limit
    if (!isLimited(store) || limit === 0 || excess <= 0) return []
    // Each message of the run may also replace one of the oldest.
    return [{ fid, store, excess: Math.min(excess, MAX_PRUNED_PER_RUN) + count }]
  })
  const rows = lists.length === 0 ? [] : await tx.messages.oldest(lists)
  return new Map(
    lists.map((list) => {
      const { fid, store } = list
      const own = rows.filter((row) => row.fid === fid && row.store === store)
      return [listKey(list), new OldestFirst(own, own.length === state.usage(fid, store))]
    }),
  )
}

/** Bounds what one run prunes when a limit has shrunk; the prune job removes the rest in batches. */
const MAX_PRUNED_PER_RUN = 1_000

/** Decides message by message in memory, then writes all changes at once. */
class Run {
  readonly losses: Loss[] = []
  readonly #state: MergeState
  readonly #oldest: ReadonlyMap<number, OldestFirst>
  readonly #log: EventLog
  readonly #context: MergeContext
  readonly #quota: FidQuota
  readonly #blocks: Blocks
  readonly #inserted = new Map<number, { row: NewMessage; event: MutableEvent }>()
  readonly #removed: StoredMessage[] = []

  constructor(options: {
    state: MergeState
    blocks: Blocks
    oldest: ReadonlyMap<number, OldestFirst>
    quota: FidQuota
    log: EventLog
    context: MergeContext
  }) {
    this.#state = options.state
    this.#blocks = options.blocks
    this.#oldest = options.oldest
    this.#log = options.log
    this.#context = options.context
    this.#quota = options.quota
  }

  /** A profile message is decided after the claims that its author has lost are revoked; a borrower's after the lend. */
  mustEndBefore({ row }: Candidate): boolean {
    if (this.#state.lends.isStale(row.fid)) return true
    return row.type === MessageType.USER_DATA_ADD && this.losses.some(({ fid }) => fid === row.fid)
  }

  merge(candidate: Candidate): Outcome {
    try {
      return this.#merge(candidate)
    } catch (error) {
      if (error instanceof Rejection) return error
      throw error
    }
  }

  #merge(candidate: Candidate): Outcome {
    const checked = candidate.row
    const state = this.#state
    const { authority, besideCompactStates = false } = this.#context
    checkSigner(state, checked, this.#context)
    if (isKeyMessage(checked)) return this.#mergeKey(candidate)
    checkOwnership(state, candidate, authority)
    const holder = state.holder(checked.slot)
    if (authority === 'own') this.#checkRoom(checked, holder)
    const isRuled = checked.store === MESSAGE_SETS.links && !besideCompactStates
    const compact = isRuled ? state.compactState(checked.slot) : undefined
    const decision = decideMerge(contenderOf(checked), holder, compact)
    if (decision.outcome === 'refused') throw decision.rejection
    checkBlocks(this.#blocks, candidate)

    if (authority === 'own') this.#consumeQuota(checked)
    const id = this.#log.nextId()
    const row: NewMessage = { ...checked, id }
    const event = mergeEvent(row, holder)
    this.#log.append(event)
    if (holder) this.#replace(row, holder)
    this.#inserted.set(id, { row, event })
    this.#blocks.add(row)
    state.setHolder(row.slot, row)
    state.addUsage(row.fid, row.store, 1)
    this.#oldest.get(listKey(row))?.add(row)
    const isEnd = row.store === MESSAGE_SETS.storageLends && state.lends.merge(id, candidate)
    if (isEnd) this.#prune(row)
    else this.#pruneList(row.fid, row.store)
    state.gaslessKeys.use(row)
    return { id }
  }

  #consumeQuota(checked: CheckedRow): void {
    const { growth, nowMs } = this.#context
    const held = unitCount(this.#state.units(checked.fid))
    const units = growth ? Math.min(held, growth.maxDailyUnits) : held
    this.#quota.consume(checked.fid, { units, bytes: storedBytes(checked) }, nowMs)
  }

  /** A KEY_REMOVE only deletes the KEY_ADD: its event keeps its bytes. */
  #mergeKey(candidate: Candidate): Outcome {
    const state = this.#state
    const checked = candidate.row
    const holder = state.holder(checked.slot)
    const isAdded = checked.type === MessageType.KEY_ADD
    state.gaslessKeys.merge(candidate, state, this.#context.authority)
    const id = this.#log.nextId()
    const row: NewMessage = { ...checked, id }
    const event = mergeEvent(row, holder)
    this.#log.append(event)
    if (holder) this.#remove(holder)
    if (isAdded) {
      this.#inserted.set(id, { row, event })
      state.setHolder(row.slot, row)
      state.addUsage(row.fid, row.store, 1)
    } else event.message = encodeStored(row)
    return { id }
  }

  /** Throws when the author has no storage, or when the message would be pruned at once. */
  #checkRoom(checked: CheckedRow, holder: StoredMessage | undefined): void {
    const state = this.#state
    const { fid, store } = checked
    const units = state.units(fid)
    if (!state.hasStorage(fid)) throw new Rejection('bad_request.no_storage', 'no storage')
    if (holder) return
    const { growth } = this.#context
    if (growth) checkDisk(growth)
    const usage = state.usage(fid, store)
    if (!isLimited(store)) {
      const limit = compactStateLimit(units)
      if (usage < limit) return
      const text = `compact states for more than ${limit} link types`
      throw new Rejection('bad_request.no_storage', text)
    }
    if (usage < limitOf(units, store)) return
    if (growth) throw fullAccount(fid)
    const oldest = this.#oldest.get(listKey(checked))
    if (oldest?.isBeforeAll(checked)) {
      throw new Rejection('bad_request.prunable', 'message would be pruned')
    }
  }

  #replace(row: StoredMessage, holder: StoredMessage): void {
    this.#remove(holder)
    if (holder.store === MESSAGE_SETS.usernameProofs && holder.fid !== row.fid) this.#lose(holder)
    if (row.type === MessageType.VERIFICATION_REMOVE && isAdd(holder.type)) this.#lose(holder)
  }

  #pruneList(fid: number, store: number): void {
    const list = this.#oldest.get(listKey({ fid, store }))
    const limit = limitOf(this.#state.units(fid), store)
    while (list && this.#state.usage(fid, store) > limit) {
      const victim = list.shift()
      if (!victim) return
      this.#prune(victim)
      this.#state.lends.prune(victim)
      this.#lose(victim)
    }
  }

  #prune(row: StoredMessage): void {
    this.#remove(row)
    appendRemoval(this.#log, row, 'prune')
  }

  #remove(row: StoredMessage): void {
    const own = this.#inserted.get(row.id)
    // Merged and removed in the same run: it never becomes a row, and its event keeps its bytes.
    if (own) {
      own.event.message = encodeStored(row)
      this.#inserted.delete(row.id)
    } else this.#removed.push(row)
    this.#blocks.remove(row)
    this.#state.setHolder(row.slot, undefined)
    this.#state.addUsage(row.fid, row.store, -1)
    this.#oldest.get(listKey(row))?.delete(row)
  }

  #lose(row: StoredMessage): void {
    this.losses.push(...lossesBy(row))
  }

  async write(tx: Writer): Promise<void> {
    const kept = this.#removed.map((row) => ({ id: row.id, message: encodeStored(row) }))
    await Promise.all([
      tx.events.keepMessages(kept),
      tx.messages.remove(this.#removed),
      tx.messages.insert([...this.#inserted.values()].map(({ row }) => row)),
      tx.quotas.put(this.#quota.changed),
      this.#state.gaslessKeys.write(tx),
      this.#state.lends.write(tx),
      this.#log.flush(),
    ])
  }
}

type MutableEvent = { -readonly [K in keyof NewEvent]: NewEvent[K] }

/** Above the number of every set. */
const MAX_SETS = 256

/** A number, since a map makes each new text unique first. */
const listKey = (row: { fid: number; store: number }): number => row.fid * MAX_SETS + row.store

/**
 * Throws unless the fid is registered, the signer is an active key of it that may send this type (of a mirrored hub: a key that
 * was ever added), and moderation allows its messages. Messages about gasless keys are signed by any key.
 */
export function checkSigner(
  state: SenderState,
  row: Pick<CheckedRow, 'fid' | 'signer' | 'timestamp' | 'type' | 'store'>,
  { authority, vouched }: Pick<MergeContext, 'authority' | 'vouched'> = { authority: 'own' },
): void {
  const { fid, signer, timestamp } = row
  if (!state.isRegistered(fid)) {
    throw new Rejection('bad_request.unknown_fid', `unknown fid: ${fid}`, { field: 'data.fid' })
  }
  const maySign = authority === 'own' ? state.isActiveKey : state.isKnownKey
  const mayUse = maySign(fid, signer) || isVouchedFor(vouched, fid, signer)
  if (!isKeyMessage(row) && !mayUse) {
    state.gaslessKeys.checkUse(row, state.holder(gaslessKeySlot(signer)), authority)
  }
  checkModeration(state.moderation(fid), fid, timestamp)
}

/**
 * Throws when the operator has suspended the author, or when the message is of the time whose messages were
 * erased: a kept copy of an erased message must not bring it back.
 */
function checkModeration(
  status: ModerationStatus | undefined,
  fid: number,
  timestamp: number,
): void {
  if (!status) return
  if (status.isSuspended) {
    const text = `the operator of this server has suspended fid ${fid}`
    throw new Rejection('unauthorized.suspended', text, { field: 'data.fid' })
  }
  const { isBeingErased, erasedBefore } = status
  if (!isBeingErased && (erasedBefore === 0 || timestamp > erasedBefore)) return
  const text = isBeingErased
    ? `the messages of fid ${fid} are being erased; send new ones after that`
    : `the messages of fid ${fid} up to timestamp ${erasedBefore} were erased`
  throw new Rejection('bad_request.erased', text, { field: 'data.timestamp' })
}

function contenderOf({ type, timestamp, hash, store, slot }: CheckedRow | StoredMessage) {
  if (store !== MESSAGE_SETS.links) return { type, timestamp, hash }
  return { type, timestamp, hash, targetFid: targetFidOfSlot(slot) }
}

function mergeEvent(row: NewMessage, holder: StoredMessage | undefined): MutableEvent {
  const type =
    row.store === MESSAGE_SETS.usernameProofs
      ? HubEventType.MERGE_USERNAME_PROOF
      : HubEventType.MERGE_MESSAGE
  // The feed lists nothing for a compact state, which may replace 64 KiB, so nothing is kept for it.
  const isListed = holder !== undefined && row.type !== MessageType.LINK_COMPACT_STATE
  const deleted = isListed ? encodeList([envelopeOf(holder)]) : null
  return { id: row.id, type, deleted, removed: holder?.id ?? null }
}

/**
 * Deletes the author's links that a merged compact state does not list. The deployed hubs emit no
 * event for them: the compact state's own event implies their removal.
 */
async function compactLinks(tx: Writer, candidate: Candidate): Promise<void> {
  const { row } = candidate
  if (row.type !== MessageType.LINK_COMPACT_STATE) return
  const compact = compactStateOf({ timestamp: row.timestamp, body: candidate.body })
  if (!compact) return
  const slotPrefix = row.slot.subarray(5)
  let token: Uint8Array | undefined
  do {
    const page = await tx.messages.listByFid(
      {
        fid: row.fid,
        store: MESSAGE_SETS.links,
        types: [MessageType.LINK_ADD, MessageType.LINK_REMOVE],
        slotPrefix,
        to: compact.timestamp,
      },
      { size: MAX_PAGE_SIZE, token },
    )
    const gone = page.items.filter((link) =>
      compacts(compact, { ...link, targetFid: targetFidOfSlot(link.slot) }),
    )
    await removeWithoutEvents(tx, gone)
    token = page.next
  } while (token)
}

async function removeWithoutEvents(tx: Writer, rows: readonly StoredMessage[]): Promise<void> {
  if (rows.length === 0) return
  await tx.events.keepMessages(rows.map((row) => ({ id: row.id, message: encodeStored(row) })))
  await tx.messages.remove(rows)
}
