import { encodeList } from '../../protocol/codec/envelope.ts'
import { decideMerge } from '../../protocol/merge.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { isAdd, isRemove } from '../../protocol/slots.ts'
import type { EventLog } from '../../storage/messages/event-log.ts'
import type { NewEvent } from '../../storage/messages/events.ts'
import { encodeStored, envelopeOf } from '../../storage/messages/message-rows.ts'
import type { NewMessage, StoredMessage } from '../../storage/messages/messages.ts'
import type { Writer } from '../../storage/storage.ts'
import type { Upstream } from '../../storage/upstream.ts'
import type { Effects, Loss, MergeState } from '../kinds/effects.ts'
import { checkRules, effectsOf, lossesBy, mergeEventOf } from '../kinds/kinds.ts'
import { appendRemoval, removeEffects } from '../removal.ts'
import type { Candidate, CheckedRow } from './candidate.ts'
import type { Growth } from './grow.ts'
import type { OwnLimits } from './own-limits.ts'
import type { Screening } from './screen.ts'
import { checkSigner, checkSignerNow } from './senders.ts'
import type { Vouched } from './vouched-key.ts'

/** The id of the event that reports the merge, or the reason why the message was refused. */
export type Outcome = { readonly id: number } | Rejection

export type MergeContext = {
  readonly nowMs: number
  readonly network: number
  readonly storageEnds: boolean
  readonly enforceBlocks?: boolean | undefined
  /**
   * Of messages that are sent to this hub. Undefined for those that another hub has stored: they are not limited, and checked only by
   * what holds for every stored message. `growth`: where storage grows in place of pruning by count, on a ledger of this server.
   */
  readonly limits: { readonly growth?: Growth | undefined } | undefined
  /** What features say about the messages. */
  readonly screening?: Promise<Screening | undefined> | undefined
  readonly upstream?: Upstream | undefined
  readonly vouched?: Vouched | undefined
  /** The mirrored hub has these links together with a compact state that leaves them out. */
  readonly besideCompactStates?: boolean | undefined
}

type RunOptions = {
  readonly state: MergeState
  readonly limits: OwnLimits | undefined
  readonly screening: Screening | undefined
  readonly log: EventLog
  readonly context: MergeContext
}

/** Decides message by message in memory, then writes all changes at once. */
export class Run {
  readonly losses: Loss[] = []
  readonly #state: MergeState
  readonly #limits: OwnLimits | undefined
  readonly #screening: Screening | undefined
  readonly #log: EventLog
  readonly #context: MergeContext
  readonly #inserted = new Map<number, { row: NewMessage; event: MutableEvent }>()
  readonly #removed: StoredMessage[] = []
  readonly #pruned: StoredMessage[] = []

  constructor({ state, limits, screening, log, context }: RunOptions) {
    this.#state = state
    this.#limits = limits
    this.#screening = screening
    this.#log = log
    this.#context = context
  }

  /** Whether what this run has decided must be written before the candidate can be decided. */
  mustEndBefore({ row }: Candidate): boolean {
    if (this.#state.parts.some((part) => part.isStale(row))) return true
    return this.losses.length > 0 && this.#claimsLost(row)
  }

  #claimsLost({ fid, store }: CheckedRow): boolean {
    return effectsOf(store).claims !== undefined && this.losses.some((loss) => loss.fid === fid)
  }

  merge(candidate: Candidate): Outcome {
    try {
      const holder = this.#state.holder(candidate.row.slot)
      const effects = effectsOf(candidate.row.store)
      this.#check(candidate, holder, effects)
      return { id: this.#accept(candidate, holder, effects) }
    } catch (error) {
      if (error instanceof Rejection) return error
      throw error
    }
  }

  /** Throws the Rejection of the first rule that the message breaks. Changes nothing but quotas. */
  #check(candidate: Candidate, holder: StoredMessage | undefined, effects: Effects): void {
    const checked = candidate.row
    const state = this.#state
    const limits = this.#limits
    const { besideCompactStates, vouched } = this.#context
    if (limits) checkSignerNow(state, checked, vouched)
    else checkSigner(state, checked, vouched)
    checkRules(candidate, state, limits !== undefined)
    if (effects.decidesAlone) return
    limits?.checkRoom(checked, holder)
    const decision =
      effects.decide?.(checked, holder, { state, besideCompactStates }) ??
      decideMerge(checked, holder, undefined)
    if (decision.outcome === 'refused') throw decision.rejection
    effects.checkPolicy?.(candidate, state)
    // What is not admitted uses none of the ordinary quota.
    this.#screening?.admit?.(candidate)
    limits?.consume(checked)
  }

  /** Gives the message its slot and prunes what is over the limit then. Returns the id of its event. */
  #accept(candidate: Candidate, holder: StoredMessage | undefined, effects: Effects): number {
    const id = this.#log.nextId()
    const row: NewMessage = { ...candidate.row, id }
    const event = mergeEvent(row, holder, effects)
    this.#log.append(event)
    if (holder) this.#replace(row, holder)
    const stay = effects.merged?.(id, candidate, this.#state) ?? 'stored'
    if (stay === 'event') event.message = encodeStored(row)
    else this.#store(row, event, effects)
    if (stay === 'pruned') this.#prune(row)
    else this.#pruneList(row)
    if (!effects.aboutKey) this.#state.keys.use(row)
    return id
  }

  #store(row: NewMessage, event: MutableEvent, effects: Effects): void {
    const state = this.#state
    this.#inserted.set(row.id, { row, event })
    effects.stored?.(row, state)
    state.setHolder(row.slot, row)
    state.addUsage(row.fid, row.store, 1)
    this.#limits?.stored(row)
  }

  /** A message of another fid, or a remove, takes from the author what the replaced one said. */
  #replace(row: StoredMessage, holder: StoredMessage): void {
    this.#remove(holder)
    if (holder.fid !== row.fid || (isRemove(row.type) && isAdd(holder.type))) this.#lose(holder)
  }

  /** Prunes what the message's list has above its limit. */
  #pruneList(row: NewMessage): void {
    for (let victim = this.#limits?.excess(row); victim; victim = this.#limits?.excess(row)) {
      this.#prune(victim)
      this.#pruned.push(victim)
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
    effectsOf(row.store).unstored?.(row, this.#state)
    this.#state.setHolder(row.slot, undefined)
    this.#state.addUsage(row.fid, row.store, -1)
    this.#limits?.unstored(row)
  }

  #lose(row: StoredMessage): void {
    this.losses.push(...lossesBy(row))
  }

  async write(tx: Writer): Promise<void> {
    const kept = this.#removed.map((row) => ({ id: row.id, message: encodeStored(row) }))
    const { keys, storage, parts } = this.#state
    await Promise.all([
      tx.events.keepMessages(kept),
      tx.messages.remove(this.#removed),
      tx.messages.insert([...this.#inserted.values()].map(({ row }) => row)),
      this.#limits?.write(tx),
      keys.write(tx),
      storage.write(tx),
      ...parts.map((part) => part.write(tx)),
      this.#log.flush(),
    ])
    await removeEffects(tx, this.#log, this.#pruned, 'prune')
  }
}

type MutableEvent = { -readonly [K in keyof NewEvent]: NewEvent[K] }

function mergeEvent(
  row: NewMessage,
  holder: StoredMessage | undefined,
  { listsReplaced = true }: Effects,
): MutableEvent {
  const deleted = holder && listsReplaced ? encodeList([envelopeOf(holder)]) : null
  return { id: row.id, type: mergeEventOf(row.store), deleted, removed: holder?.id ?? null }
}
