import { MAX_BATCH_MESSAGES } from '../../kernel/hub/settings.ts'
import type { MirrorInput, MirrorOutcome } from '../../kernel/hub/submit/mirror-intake.ts'
import type { Vouched } from '../../kernel/hub/submit/vouched-key.ts'
import type { Rejection } from '../../kernel/protocol/rejection.ts'
import { SourceAccounts } from './accounts.ts'
import { type MirrorContext, writeAsLeader } from './context.ts'
import { namesIn } from './ethereum-names.ts'
import { asFor, compacting, concerns, formerOwner, keptBeside, stepsOf } from './event-steps.ts'
import { VouchedKeys } from './keys/vouched-keys.ts'
import { judge, putRefused, type Refused } from './quarantine.ts'
import { hashOfMessage, type SourceEvent } from './source/events.ts'
import { homeShard } from './source/fid-bucket.ts'
import { type MirrorFid, type MirrorShard, mirrorRows } from './tables/mirror.ts'
import { mirrorNameRows } from './tables/mirror-names.ts'
import type { MirrorNote } from './upstream.ts'
import { Watch } from './watch.ts'

/** What an event leaves unclear is compared after this time, together with what follows. */
export const SOON_MS = 10_000

/** Makes what a source says of messages true here, as far as it can be verified. */
export class Applier {
  readonly #context: MirrorContext
  /** People who are being compared. */
  readonly #watched = new Map<number, Watch>()
  /** Those of them whose keys were asked for. */
  readonly #asked = new Set<number>()
  readonly #vouched: VouchedKeys
  /** Accounts and names of those whose messages are applied. */
  readonly accounts: SourceAccounts
  readonly #onNewAccount: (fid: number) => Promise<void>

  constructor(context: MirrorContext, onNewAccount: (fid: number) => Promise<void>) {
    this.#context = context
    this.#onNewAccount = onNewAccount
    this.accounts = new SourceAccounts(context)
    this.#vouched = new VouchedKeys(context.source)
  }

  /** From now on what events take away of a fid's messages is left out of what is read. */
  watch(fid: number): Watch {
    const watch = new Watch()
    this.#watched.set(fid, watch)
    return watch
  }

  unwatch(fid: number): void {
    this.#watched.delete(fid)
    this.#asked.delete(fid)
  }

  /** Merges messages that were read. Returns those that were refused, and those whose place is taken. */
  async merge(fid: number, messages: readonly Uint8Array[], terms: ListedTerms = {}) {
    const refused: Refused[] = []
    const older: Uint8Array[] = []
    let withheld = 0
    const watch = this.#watched.get(fid)
    const isLeftOut = (hash: Uint8Array) => watch?.hasLost(hash) ?? false
    const { metrics } = this.#context
    for (let at = 0; at < messages.length; at += MAX_BATCH_MESSAGES) {
      const some = messages.slice(at, at + MAX_BATCH_MESSAGES)
      const steps = some.map((merge) => ({ merge, isLeftOut }))
      for (const [i, outcome] of (await this.#mergeRead(fid, steps, terms)).entries()) {
        const judged = judge(some[i]!, fid, outcome)
        metrics.messages(judged.outcome)
        if ('refused' in judged) refused.push(judged.refused)
        else if (judged.outcome === 'withheld') withheld++
        else if (judged.outcome === 'older' && !('isLeftOut' in outcome)) older.push(some[i]!)
      }
    }
    return { refused, older, withheld }
  }

  #vouchedOf(fids: Iterable<number>): Vouched | undefined {
    return this.#context.acceptsUnknownSigners ? 'all' : this.#vouched.of(fids)
  }

  /** Messages by unknown keys are tried again with those that the source says the person has. */
  async #mergeRead(
    fid: number,
    steps: readonly MirrorInput[],
    terms: ListedTerms,
  ): Promise<MirrorOutcome[]> {
    const { hub, lease, mergeAccounts } = this.#context
    const outcomes = await hub.mirror(steps, { ...terms, lease, vouched: this.#vouchedOf([fid]) })
    const unknown = outcomes.flatMap((one, i) => (isOfUnknownKey(one) ? [i] : []))
    // The word of the source about accounts does not count when they come from a chain.
    if (unknown.length === 0 || !mergeAccounts || this.#asked.has(fid)) return outcomes
    this.#asked.add(fid)
    if (!(await this.#vouched.learn(fid))) return outcomes
    const again = await hub.mirror(
      unknown.map((i) => steps[i]!),
      { ...terms, lease, vouched: this.#vouchedOf([fid]) },
    )
    for (const [at, i] of unknown.entries()) outcomes[i] = again[at]!
    return outcomes
  }

  /** Applies events in order, and then says that the shard has come so far. */
  async events(events: readonly SourceEvent[], cursor: MirrorShard): Promise<void> {
    const { metrics, kind } = this.#context
    const people = await this.#peopleOf(events)
    const ofPeople = events.filter(({ fid }) => people.has(fid))
    const unclear = kind === 'hubble' ? compacting(ofPeople) : keptBeside(ofPeople)
    let open: SourceEvent[] = []
    for (const event of events) {
      metrics.events(cursor.shard, event.type)
      const { kind: what } = event.what
      if (what !== 'account' && what !== 'name') {
        if (this.#isHome(event.fid, cursor.shard)) open.push(...asFor(event, people))
        continue
      }
      // Fid 0 is nobody: channels are registered by addresses.
      const isNew = what === 'account' && event.fid > 0 && !people.has(event.fid)
      if (isNew) await this.#onNewAccount(event.fid)
      if (!concerns(event, people)) continue
      const former = formerOwner(event)
      if (people.has(former)) unclear.add(former)
      await this.#messages(open, { people })
      open = []
      await this.#other(event)
    }
    await this.#messages(open, { people, cursor, unclear })
  }

  /** Some kinds of messages are merged on every shard; the lists are those of one. */
  #isHome(fid: number, shard: number): boolean {
    const { kind, shards } = this.#context
    return kind !== 'snapchain' || homeShard(fid, shards) === shard
  }

  async #peopleOf(events: readonly SourceEvent[]): Promise<ReadonlyMap<number, MirrorFid>> {
    const fids = events.flatMap(({ fid, what }) =>
      what.kind === 'name' && what.before ? [fid, Number(what.before.fid)] : fid,
    )
    const rows = await this.#context.storage.of(mirrorRows).fids(fids.filter((fid) => fid > 0))
    return new Map(rows.map((row) => [row.fid, row]))
  }

  async #other({ fid, what }: SourceEvent): Promise<void> {
    if (what.kind === 'account') await this.accounts.merge(fid, [what.event])
    if (what.kind === 'name' && what.proof) await this.accounts.mergeNames([what.proof])
    if (what.kind === 'account')
      await writeAsLeader(this.#context, (tx) => tx.of(mirrorRows).retryWaiting(fid, this.#now()))
  }

  /** Merges and removes what events say of messages, in one transaction with the cursor of the shard where all of it is settled. */
  async #messages(
    events: readonly SourceEvent[],
    { people, cursor, unclear = new Set() }: EventTerms,
  ): Promise<void> {
    if (events.length === 0 && !cursor) return
    for (const event of events) {
      if (this.#watched.get(event.fid)?.note(event)) unclear.add(event.fid)
    }
    await this.#forgetNames(events)
    // Who is unclear is noted before the shard has come so far.
    const merged = events.flatMap(mergedIn)
    const outcomes = await this.#mirror(events, merged, unclear.size === 0 ? cursor : undefined)
    const refused = this.#refusedOf(merged, outcomes, { people, unclear })
    const isSettled = outcomes.every((one) => !('rejection' in one) || isKnown(one.rejection))
    if (isSettled && unclear.size === 0) return
    await writeAsLeader(this.#context, async (tx) => {
      const due = await putRefused(tx, refused, this.#now())
      for (const [fid, at] of due) await tx.of(mirrorRows).setDue([fid], at)
      await tx.of(mirrorRows).setDue([...unclear], this.#now() + SOON_MS)
      if (cursor) await tx.of(mirrorRows).putShards([cursor])
    })
  }

  /** From now on these names are known by their messages, or removed. */
  async #forgetNames(events: readonly SourceEvent[]): Promise<void> {
    const names = events.flatMap(namesIn)
    if (names.length === 0) return
    await writeAsLeader(this.#context, (tx) => tx.of(mirrorNameRows).remove(names))
  }

  /** Gives the hub what events say of messages, with the cursor of the shard if one is given. Outcomes are those of `merged`. */
  async #mirror(
    events: readonly SourceEvent[],
    merged: readonly Merged[],
    cursor: MirrorShard | undefined,
  ): Promise<readonly MirrorOutcome[]> {
    const { hub, lease, metrics, storage } = this.#context
    const vouched = this.#vouchedOf(new Set(events.map(({ fid }) => fid)))
    const confirmed = merged.map(({ message }) => hashOfMessage(message))
    const note: MirrorNote = { confirmed, ...(cursor && { cursor }) }
    const waiting = await storage.of(mirrorRows).waitingSubmits(confirmed)
    const outcomes = await hub.mirror(events.flatMap(stepsOf), { lease, vouched, note })
    metrics.submit('confirmed', waiting)
    return outcomes
  }

  /** The messages that were refused, but for those of people who are read after this event. */
  #refusedOf(
    merged: readonly Merged[],
    outcomes: readonly MirrorOutcome[],
    { people, unclear }: Required<Pick<EventTerms, 'people' | 'unclear'>>,
  ): Refused[] {
    const refused: Refused[] = []
    for (const [i, { fid, message }] of merged.entries()) {
      const judged = judge(message, fid, outcomes[i]!)
      const isUnread = people.get(fid)!.read_at === 0
      // Whoever was never read is read after this event, with their keys and names first.
      if ('refused' in judged && judged.refused.mayWait && isUnread) continue
      this.#context.metrics.messages(judged.outcome)
      if ('refused' in judged) refused.push(judged.refused)
      // A list was read that is newer than this event; what the event removed besides may be stored.
      if (judged.outcome === 'older') unclear.add(fid)
    }
    return refused
  }

  #now(): number {
    return this.#context.clock.now()
  }
}

type ListedTerms = { readonly besideCompactStates?: boolean }

type EventTerms = {
  readonly people: ReadonlyMap<number, MirrorFid>
  /** Written with the last of the events. */
  readonly cursor?: MirrorShard
  /** Whom to compare because of what the events do not say. */
  readonly unclear?: Set<number>
}

type Merged = { readonly fid: number; readonly message: Uint8Array }

const mergedIn = ({ fid, what }: SourceEvent): Merged[] =>
  what.kind === 'merge' ? [{ fid, message: what.message }] : []

const isOfUnknownKey = (outcome: MirrorOutcome): boolean =>
  'rejection' in outcome && outcome.rejection.code === 'bad_request.unknown_signer'

const isKnown = ({ code }: Rejection): boolean => code === 'bad_request.duplicate'
