import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../kernel/base/backoff.ts'
import type { Clock } from '../../kernel/base/clock.ts'
import { HASH_BYTES } from '../../kernel/protocol/sizes.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/protocol/time.ts'
import { OnChainEventType } from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { type Applier, SOON_MS } from './apply.ts'
import { waitUntilApplied } from './catch-up.ts'
import { type MirrorContext, writeAsLeader } from './context.ts'
import { noteEthereumNames } from './ethereum-names.ts'
import { HashSet } from './hash-set.ts'
import { removeGoneKeys } from './keys/gone-keys.ts'
import { ownMessages } from './own-messages.ts'
import { type ContextCasts, NO_CASTS, readContextCasts } from './people/context-casts.ts'
import { conflicting, isUnlisted, putRefused, type Refused, wrongFid } from './quarantine.ts'
import { fidOfMessage, hashOfMessage } from './source/events.ts'
import { isAway } from './source/grpc-client.ts'
import { LISTS, numberOf, PROFILE_LISTS, SET_NAMES } from './source/lists.ts'
import type { ListMethod, SourceKind, Usage } from './source/source.ts'
import {
  type FidState,
  type MirrorFid,
  type MirrorQuarantine,
  mirrorRows,
  type NewMirrorFid,
} from './tables/mirror.ts'
import type { Watch } from './watch.ts'

// To read somebody is to compare: one function fills, repairs and checks.

const ACCOUNT_TYPES = [
  OnChainEventType.EVENT_TYPE_ID_REGISTER,
  OnChainEventType.EVENT_TYPE_SIGNER,
  OnChainEventType.EVENT_TYPE_STORAGE_RENT,
  OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
]

/** A list that would remove more than this, and more than this share, is read twice. */
const MANY = 20
const MANY_SHARE = 0.1
const REMOVED_AT_ONCE = 500
/** Messages whose place is taken, kept to be tried again. */
const MAX_OLDER = 1_000
/** Retried by their bytes for each comparison. */
const MAX_RETRIED = 1_000
/** A comparison that was asked for while another one ran begins after this time. */
const AGAIN_MS = 1_000
/** After comparisons that failed. */
const BACKOFF = { firstMs: SOON_MS, maxMs: HOUR_MS }
/** Numbers that differ are asked for again so often. */
const COUNT_ATTEMPTS = 3

/** What the source has of a set. */
type Listed = {
  readonly set: number
  readonly method: ListMethod
  readonly hashes: HashSet
  readonly refused: Refused[]
  readonly older: Uint8Array[]
  withheld: number
}

/** The list was shorter than the source itself says: nothing is removed because of it. */
class ShortListError extends Error {}

export class Reader {
  readonly #context: MirrorContext
  readonly #applier: Applier

  constructor(context: MirrorContext, applier: Applier) {
    this.#context = context
    this.#applier = applier
  }

  /** Compares somebody with the source and repairs what differs. A failure is noted, and it is tried again later. */
  async compare(row: MirrorFid): Promise<void> {
    const watch = this.#applier.watch(row.fid)
    try {
      await this.#compare(row, watch)
    } catch (error) {
      if (this.#context.signal.aborted) return
      if (isFinal(error)) throw error
      this.#context.log.warn({ err: error, fid: row.fid }, 'mirror: a comparison failed')
      await this.#putFailure(row, error, watch.events > 0)
    } finally {
      this.#applier.unwatch(row.fid)
    }
  }

  /** A failure while events of the person arrived says little: it is tried again as if it were the first. */
  async #putFailure(row: MirrorFid, error: unknown, isUnclear: boolean): Promise<void> {
    const failures = isUnclear ? Math.max(1, row.failures) : row.failures + 1
    const waitMs = backoffMs(BACKOFF, failures)
    const differs = row.state === 'live' && failures > 1 && !isAway(error)
    const state = differs ? 'differs' : row.state
    await writeAsLeader(this.#context, (tx) =>
      this.#put(tx, row, { state, failures, due_at: this.#now() + waitMs }),
    )
  }

  async #compare(row: MirrorFid, watch: Watch): Promise<void> {
    const { fid } = row
    const { storage } = this.#context
    const mark = await storage.events.newestId()
    // The source may have taken them and not have put them into a block.
    const submitted = new HashSet()
    for (const { hash } of await storage.of(mirrorRows).outboxOf(fid)) submitted.add(hash)
    await this.#readAccount(fid)
    await this.#retryUnlisted(fid)
    const isContext = row.state === 'context'
    const lists: Listed[] = []
    for (const list of isContext ? PROFILE_LISTS : LISTS) lists.push(await this.#read(fid, list))
    const used = await this.#context.source.used(fid)
    for (const list of lists) await this.#removeGone(fid, list, { used, mark, lists, submitted })
    await this.#retryOlder(fid, lists, watch)
    await removeGoneKeys(this.#context, { fid, mark })
    const casts = isContext
      ? await readContextCasts(this.#context, this.#applier, { fid, mark })
      : NO_CASTS
    await this.#conclude(row, lists, watch, casts)
  }

  async #readAccount(fid: number): Promise<void> {
    const { source, mergeAccounts, takesNames } = this.#context
    if (mergeAccounts) {
      const events = await Promise.all(ACCOUNT_TYPES.map((type) => source.accountEvents(fid, type)))
      await this.#applier.accounts(fid, events.flat())
    }
    const proofs = await source.nameProofs(fid)
    if (takesNames) await this.#applier.names(proofs)
    await noteEthereumNames(this.#context, fid, proofs)
  }

  /** Messages that come in events alone are tried again by what was kept of them. */
  async #retryUnlisted(fid: number): Promise<void> {
    const rows = await this.#context.storage.of(mirrorRows).quarantineOf(fid, MAX_RETRIED)
    const kept = rows.filter(isUnlisted)
    if (kept.length === 0) return
    const messages = kept.map(({ bytes }) => bytes)
    const { refused } = await this.#applier.merge(fid, messages)
    await writeAsLeader(this.#context, async (tx) => {
      const stays = new Set(refused.map(({ message }) => message))
      await tx.of(mirrorRows).removeQuarantine(kept.filter(({ bytes }) => !stays.has(bytes)))
      await putRefused(tx, refused, this.#now())
    })
  }

  async #read(fid: number, { set, method }: (typeof LISTS)[number]): Promise<Listed> {
    const listed: Listed = {
      set,
      method,
      hashes: new HashSet(),
      refused: [],
      older: [],
      withheld: 0,
    }
    const own = await this.#ownHashes(fid, set)
    for await (const page of this.#context.source.messages(method, fid)) {
      const unknown: Uint8Array[] = []
      for (const message of page) {
        const hash = hashOfMessage(message)
        if (fidOfMessage(message) !== fid) listed.refused.push(wrongFid(fid, message))
        else if (hash.length !== HASH_BYTES) unknown.push(message)
        else {
          listed.hashes.add(hash)
          if (!own.has(hash)) unknown.push(message)
        }
      }
      const { refused, older, withheld } = await this.#applier.merge(fid, unknown)
      listed.refused.push(...refused)
      listed.older.push(...older.slice(0, MAX_OLDER - listed.older.length))
      listed.withheld += withheld
      this.#context.signal.throwIfAborted()
    }
    return listed
  }

  async #ownHashes(fid: number, set: number): Promise<HashSet> {
    const hashes = new HashSet()
    for await (const rows of ownMessages(this.#context.storage, fid, set))
      for (const { hash } of rows) hashes.add(hash)
    return hashes
  }

  /** Removes what the source does not have any more. Messages of events after `mark` are not of the time of the list. */
  async #removeGone(fid: number, list: Listed, known: Known): Promise<void> {
    const { storage, recheckMs, signal, hub, lease, kind } = this.#context
    const { used, mark, lists } = known
    let gone = await this.#gone(fid, list, known)
    if (gone.length === 0) return
    if (isShorter(kind, list, { used, lists })) {
      throw new ShortListError(
        `${list.method} lists fewer messages of fid ${fid} than the source says it has`,
      )
    }
    const [usage] = (await storage.messages.usage([fid])).filter(({ store }) => store === list.set)
    const isMuch = gone.length > MANY && gone.length > MANY_SHARE * (usage?.count ?? 0)
    // Hubble has no numbers that hold, and each compact state would take a minute.
    const isPlausible = used.has(list.set) || (kind === 'hubble' && list.hashes.size > 0)
    if (isMuch || !isPlausible) {
      await waitByClock(this.#context.clock, recheckMs, signal)
      const again = new HashSet()
      for await (const page of this.#context.source.messages(list.method, fid)) {
        for (const message of page) again.add(hashOfMessage(message))
      }
      gone = gone.filter(({ hash }) => !again.has(hash))
    }
    for (let at = 0; at < gone.length; at += REMOVED_AT_ONCE) {
      const some = gone.slice(at, at + REMOVED_AT_ONCE)
      const steps = some.map(({ slot, hash }) => ({
        remove: { fid, slot, hash, reason: 'revoke' as const, maxId: mark },
      }))
      await hub.mirror(steps, { lease })
    }
  }

  async #gone(fid: number, { set, hashes }: Listed, { mark, submitted }: Known) {
    const gone: Pick<StoredMessage, 'slot' | 'hash'>[] = []
    for await (const rows of ownMessages(this.#context.storage, fid, set)) {
      for (const { id, slot, hash } of rows) {
        if (id > mark || hashes.has(hash) || submitted.has(hash)) continue
        gone.push({ slot: slot.slice(), hash: hash.slice() })
      }
    }
    return gone
  }

  /**
   * Once more, now that what the source does not have is gone. Links that Snapchain took in the block of a compact state
   * stay beside it.
   */
  async #retryOlder(fid: number, lists: readonly Listed[], watch: Watch): Promise<void> {
    for (const list of lists) {
      if (list.older.length === 0) continue
      const besideCompactStates = !watch.hasCompacted
      const { refused, older } = await this.#applier.merge(fid, list.older, { besideCompactStates })
      const left = older.filter((message) => !watch.hasLost(hashOfMessage(message)))
      list.refused.push(...refused, ...left.map((message) => conflicting(fid, message)))
    }
  }

  /** Says whether the counts agree, and notes what is not stored. */
  async #conclude(
    row: MirrorFid,
    lists: readonly Listed[],
    watch: Watch,
    casts: ContextCasts,
  ): Promise<void> {
    const { fid } = row
    const { isEqual, counts, events, limits } = await this.#count(fid, lists, watch)
    const now = this.#now()
    const refused = [...lists.flatMap((list) => list.refused), ...casts.refused]
    const withheld = lists.reduce((sum, list) => sum + list.withheld, 0)
    const isUnclear = !isEqual && watch.events > events
    const failures = isEqual ? 0 : isUnclear ? row.failures : row.failures + 1
    const compared: FidState = isEqual ? 'live' : failures > 1 ? 'differs' : row.state
    const state = row.state === 'context' ? row.state : compared
    const next = casts.isMore
      ? SOON_MS
      : isEqual
        ? this.#context.checkDays * DAY_MS * jitterOf(fid)
        : failures > 1
          ? HOUR_MS
          : SOON_MS
    if (row.read_at === 0 && row.state !== 'context') this.#context.metrics.progress.notePerson()
    await writeAsLeader(this.#context, async (tx) => {
      const before = await tx.of(mirrorRows).quarantineOf(fid, MAX_RETRIED)
      const due = await putRefused(tx, refused, now)
      await tx.of(mirrorRows).removeQuarantine(resolved(before, refused))
      await tx.of(mirrorRows).putWithheld(fid, withheld)
      await this.#put(tx, row, {
        state,
        failures,
        read_at: row.read_at || now,
        checked_at: now,
        counts: JSON.stringify(counts),
        limits: JSON.stringify(limits),
        due_at: Math.min(now + next, due.get(fid) ?? Number.POSITIVE_INFINITY),
      })
    })
  }

  /**
   * The numbers here and at the source, by set. When they differ, the source is asked again, and the events are waited for
   * that it has then: what happens just now is not at both sides at the same time.
   */
  async #count(fid: number, lists: readonly Listed[], watch: Watch): Promise<Counted> {
    for (let attempt = 1; ; attempt++) {
      const { events } = watch
      const { used, limits } = await this.#context.source.usage(fid)
      if (attempt > 1) await waitUntilApplied(this.#context, fid)
      const counted = { ...(await this.#countOnce(fid, lists, used)), events, limits }
      if (counted.isEqual || attempt === COUNT_ATTEMPTS) return counted
    }
  }

  async #countOnce(fid: number, lists: readonly Listed[], used: ReadonlyMap<number, number>) {
    const { storage, kind } = this.#context
    const usage = new Map(
      (await storage.messages.usage([fid])).map((one) => [one.store, one.count]),
    )
    const away = new Map(
      lists.map(({ set, refused, withheld }) => [set, refused.length + withheld]),
    )
    const counts: Record<string, readonly [here: number, there: number]> = {}
    let isEqual = true
    for (const { set } of lists) {
      const here = numberOf(kind, set, (one) => usage.get(one) ?? 0)
      const kept = numberOf(kind, set, (one) => away.get(one) ?? 0)
      const there = used.get(set) ?? here + kept
      counts[SET_NAMES.get(set)!] = [here, there]
      if (here + kept !== there) isEqual = false
    }
    return { counts, isEqual }
  }

  /** Since the comparison began, a rule may have gone, or an event may have asked for another one. */
  async #put(tx: Writer, row: MirrorFid, result: Partial<NewMirrorFid>): Promise<void> {
    const [newest] = await tx.of(mirrorRows).fids([row.fid])
    // Whoever is being erased is due now, and not when they would be compared next.
    if (!newest || newest.state === 'erasing') return
    // Somebody who was context is chosen now, and read again.
    if ((newest.state === 'context') !== (row.state === 'context')) return
    const { asks, ...kept } = newest
    const due_at = Math.min(
      result.due_at ?? newest.due_at,
      asks === row.asks ? Number.POSITIVE_INFINITY : this.#now() + AGAIN_MS,
    )
    const state = newest.state === 'frozen' ? newest.state : (result.state ?? newest.state)
    await tx.of(mirrorRows).putFids([{ ...kept, ...result, state, due_at }])
  }

  #now(): number {
    return this.#context.clock.now()
  }
}

type Counted = {
  readonly counts: Readonly<Record<string, readonly [here: number, there: number]>>
  readonly isEqual: boolean
  readonly limits: Usage['limits']
  /** Events of the person that had been applied before the numbers were asked for. */
  readonly events: number
}

type Known = {
  readonly used: ReadonlyMap<number, number>
  readonly mark: number
  /** Messages that were forwarded and not confirmed when the comparison began. */
  readonly submitted: HashSet
  readonly lists: readonly Listed[]
}

/** Whether a list has fewer messages than the source counts. */
function isShorter(
  kind: SourceKind,
  { set }: Listed,
  { used, lists }: Pick<Known, 'used' | 'lists'>,
): boolean {
  const listed = (one: number) => lists.find((list) => list.set === one)?.hashes.size ?? 0
  return numberOf(kind, set, listed) < (used.get(set) ?? 0)
}

/** What was kept away before and is stored or gone now. */
function resolved(
  before: readonly MirrorQuarantine[],
  refused: readonly Refused[],
): MirrorQuarantine[] {
  const still = new HashSet()
  for (const { message } of refused) {
    const hash = hashOfMessage(message)
    if (hash.length === HASH_BYTES) still.add(hash)
  }
  return before.filter((row) => !still.has(row.hash) && !isUnlisted(row))
}

/** From 0.8 to 1: people who were read together are not checked together. */
const jitterOf = (fid: number): number => 0.8 + ((fid * 2_654_435_761) % 1_000) / 5_000

/** Errors that concern everybody. */
const isFinal = (error: unknown): boolean =>
  error instanceof Error &&
  ['SourceRefusedError', 'LeaseLostError', 'MirrorStoppedError'].includes(error.name)

/** How often the clock is looked at. */
const CLOCK_STEP_MS = 250

/** Waits until the clock of the program is this much further. */
async function waitByClock(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const end = clock.now() + ms
  while (clock.now() < end) await delay(CLOCK_STEP_MS, undefined, { signal })
}
