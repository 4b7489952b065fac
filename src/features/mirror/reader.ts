import { backoffMs } from '../../kernel/base/backoff.ts'
import { HASH_BYTES } from '../../kernel/protocol/sizes.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/protocol/time.ts'
import { OnChainEventType } from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { Writer } from '../../kernel/storage/storage.ts'
import { type Applier, SOON_MS } from './apply.ts'
import { type MirrorContext, writeAsLeader } from './context.ts'
import { countBoth } from './counts.ts'
import { noteEthereumNames } from './ethereum-names.ts'
import { HashSet } from './hash-set.ts'
import { removeUnlistedKeys } from './keys/unlisted-keys.ts'
import { type Listed, readList, removeUnlisted, retryOlder } from './listed.ts'
import { type ContextCasts, NO_CASTS, readContextCasts } from './people/context-casts.ts'
import { isUnlisted, putRefused, type Refused } from './quarantine.ts'
import { hashOfMessage } from './source/events.ts'
import { isAway } from './source/grpc-client.ts'
import { LISTS, PROFILE_LISTS } from './source/lists.ts'
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

/** Retried by their bytes for each comparison. */
const MAX_RETRIED = 1_000
/** A comparison that was asked for while another one ran begins after this time. */
const AGAIN_MS = 1_000
/** After comparisons that failed. */
const BACKOFF = { firstMs: SOON_MS, maxMs: HOUR_MS }
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
    for (const list of isContext ? PROFILE_LISTS : LISTS) {
      lists.push(await readList(this.#context, this.#applier, fid, list))
    }
    const used = await this.#context.source.used(fid)
    for (const list of lists) {
      await removeUnlisted(this.#context, fid, list, { used, mark, lists, submitted })
    }
    await retryOlder(this.#applier, fid, lists, watch)
    await removeUnlistedKeys(this.#context, { fid, mark })
    const casts = isContext
      ? await readContextCasts(this.#context, this.#applier, { fid, mark })
      : NO_CASTS
    await this.#conclude(row, lists, watch, casts)
  }

  async #readAccount(fid: number): Promise<void> {
    const { source, mergeAccounts, takesNames } = this.#context
    if (mergeAccounts) {
      const events = await Promise.all(ACCOUNT_TYPES.map((type) => source.accountEvents(fid, type)))
      await this.#applier.accounts.merge(fid, events.flat())
    }
    const proofs = await source.nameProofs(fid)
    if (takesNames) await this.#applier.accounts.mergeNames(proofs)
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

  /** Says whether the counts agree, and notes what is not stored. */
  async #conclude(
    row: MirrorFid,
    lists: readonly Listed[],
    watch: Watch,
    casts: ContextCasts,
  ): Promise<void> {
    const { fid } = row
    const { isEqual, counts, events, limits } = await countBoth(this.#context, fid, lists, watch)
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
