import { type Clock, unixSeconds } from '../../kernel/base/clock.ts'
import { checkLease, type Job, type JobRun } from '../../kernel/jobs/job.ts'
import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { DAY_MS, DAY_SECONDS, networkTime } from '../../kernel/protocol/time.ts'
import { EventLog } from '../../kernel/storage/messages/event-log.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Page } from '../../kernel/storage/reads/page.ts'
import type { PlatformPart, Reader, Storage, Writer } from '../../kernel/storage/storage.ts'
import type { AccountModeration } from '../../kernel/storage/tables/moderation.ts'
import {
  answerRows,
  type ModerationAction,
  type ModerationEntry,
  moderationLogRows,
  REASONS,
} from '../moderation-records/port.ts'
import type { PollsPort } from '../polls/port.ts'
import type { StoredTransfer } from '../registry/port.ts'
import { answerEnded } from './ended-appeals.ts'
import type { MemberMails } from './mails.ts'
import type { ModerationMetrics } from './metrics.ts'
import { type Decision, resolveHold } from './resolving.ts'
import type { Appeal } from './tables/appeals.ts'
import { heldRows } from './tables/held.ts'
import { limitRows } from './tables/limits.ts'
import { type ModerationEvents, publishHeld, runBatch } from './tasks.ts'
import { timeText } from './time-text.ts'

/** What is decided about an account. */
export type AccountState = AccountModeration & {
  readonly isLimited: boolean
  /** When its suspension ends, in Unix seconds. */
  readonly suspendedUntil: number | undefined
}

/** What is enforced; `days` of a suspension that ends. */
type Enforced = Pick<Appeal, 'action' | 'fid' | 'cast_hash'> & {
  readonly days?: number | undefined
  /** The poll that is removed. */
  readonly poll?: string | undefined
  /** Whether an account is not warned with the same words again. */
  readonly once?: boolean | undefined
}

/** What was done, or stood so already: `entry` is its id in the log, null where the log does not know it. */
export type Enforcement = { readonly entry: number | null; readonly isNew: boolean }

type TakenName = { readonly name: string; readonly fid: number; readonly transferId: number }

export type ModerationOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly events: ModerationEvents
  /** Ends that this fid holds a name, through the registry; undefined when the registry is another server's. */
  readonly takeName:
    | ((
        held: { readonly name: string; readonly fid: number },
        record: (tx: Writer, transfer: StoredTransfer) => Promise<unknown>,
      ) => Promise<StoredTransfer>)
    | undefined
  /**
   * Removes an uploaded file for all who have uploaded it, whose fids it returns. `record` runs in its transactions.
   * Undefined where nothing is uploaded.
   */
  readonly removeFile:
    | ((
        url: string,
        record: (tx: Writer, fids: readonly number[]) => Promise<void>,
      ) => Promise<number[]>)
    | undefined
  /** Undefined where there are no polls. */
  readonly polls: Pick<PollsPort, 'remove' | 'removeIn'> | undefined
  readonly mails: MemberMails
  readonly metrics: ModerationMetrics
  /** Runs a job by its name, now. */
  readonly runJob: (name: string) => Promise<void>
  readonly onError: (error: unknown, what: string) => void
}

const JOB = 'moderation'
/** A suspension ends so much late at most. */
const END_CHECK_MS = 60_000
/** Suspensions that one run of the job ends. */
const MAX_ENDED_AT_ONCE = 1_000
/** The decision that ends suspensions whose time is over. */
export const TIME_IS_OVER: Decision = {
  actor: 'server',
  reason: REASONS.server.suspensionIsOver,
}
/** Erasures that the owner of an account asks for. */
const MAX_ERASURES_PER_DAY = 3
const ERASURES = 'erasures'
/** Time after which the leader notices a task that another process has added. */
const CHECK_INTERVAL_MS = 500
/** Pages of an export that are asked for within this time are one entry of the log, if it is among the newest of the account. */
const EXPORT_SECONDS = 3_600
const NEWEST_ENTRIES = 20
/** Several cases that one decision is about are decided within this time. */
export const WARNED_ONCE_SECONDS = 3_600

/** What the operator decides about accounts, casts and names. Every method is idempotent. */
export class Moderation {
  readonly job: Job = {
    name: JOB,
    scope: 'leader',
    everyMs: CHECK_INTERVAL_MS,
    firstAfterMs: 0,
    run: (run) => this.#runTasks(run),
  }
  readonly suspensionJob: Job = {
    name: 'end suspensions',
    scope: 'leader',
    everyMs: END_CHECK_MS,
    run: (run) => this.#endSuspensions(run),
  }
  readonly mails: MemberMails
  readonly #options: ModerationOptions
  readonly #storage: Storage

  constructor(options: ModerationOptions) {
    this.mails = options.mails
    this.#options = options
    this.#storage = options.storage
  }

  account(fid: number): Promise<AccountState> {
    return stateOf(this.#storage, fid)
  }

  /**
   * Hides everything of an account and refuses its new messages, for some days or for good. A suspension that is in force gets
   * the new end.
   */
  suspend(fid: number, decision: Decision, days?: number): Promise<AccountState> {
    return this.#decideOn(fid, 'suspend', (tx) => this.#suspend(tx, fid, 1, decision, days))
  }

  restore(fid: number, decision: Decision): Promise<AccountState> {
    return this.#decideOn(fid, 'restore', (tx) => this.#suspend(tx, fid, 0, decision))
  }

  /** Shows an account in trends, searches and notifications only to those who follow it. */
  limit(fid: number, decision: Decision): Promise<AccountState> {
    return this.#decideOn(fid, 'limit', (tx) => this.#setLimited(tx, fid, true, decision))
  }

  unlimit(fid: number, decision: Decision): Promise<AccountState> {
    return this.#decideOn(fid, 'unlimit', (tx) => this.#setLimited(tx, fid, false, decision))
  }

  /** Ends the suspensions whose time is over. */
  async #endSuspensions({ signal, lease }: JobRun): Promise<void> {
    const ended = await this.#storage.of(limitRows).endedBy(this.#now(), MAX_ENDED_AT_ONCE)
    for (const { fid } of ended) {
      signal.throwIfAborted()
      await this.decided('restore', async (tx) => {
        if (lease) await checkLease(tx, lease)
        const end = await tx.of(limitRows).endOf(fid)
        if (end !== undefined && end <= this.#now()) await this.#suspend(tx, fid, 0, TIME_IS_OVER)
      })
    }
  }

  hideCast(hash: Uint8Array, decision: Decision): Promise<void> {
    return this.decided(
      'hide',
      async (tx, events) => {
        await this.#hide(tx, events, hash, decision)
      },
      ['all/reports'],
    )
  }

  unhideCast(hash: Uint8Array, decision: Decision): Promise<void> {
    return this.decided(
      'unhide',
      async (tx, events) => {
        await this.#unhide(tx, events, hash, decision)
      },
      ['all/reports'],
    )
  }

  /** Takes a warning back, by the id of its entry in the log. Doing it once more changes nothing. */
  unwarn(id: number, decision: Decision): Promise<void> {
    return this.decided(
      'unwarn',
      async (tx) => {
        const entry = await tx.of(moderationLogRows).find(id)
        if (entry?.action !== 'warn' || entry.fid === null) {
          throw new Rejection('not_found', `there is no warning ${id}`, { field: 'id' })
        }
        await this.#unwarn(tx, { ...entry, fid: entry.fid }, decision)
      },
      ['all/reports'],
    )
  }

  /** Does what is decided about what reports are about, in the transaction that answers them. */
  async enforce(
    tx: Writer,
    events: EventLog,
    { action, fid, cast_hash, days, poll, once }: Enforced,
    decision: Decision,
  ): Promise<Enforcement> {
    const log = tx.of(moderationLogRows)
    const onCast = action === 'hide' && cast_hash ? cast_hash : undefined
    if (action === 'warn') return this.#warn(tx, { fid, cast_hash, once }, decision)
    let entry: number | null = null
    if (poll !== undefined) entry = await this.#removePollIn(tx, poll, decision)
    else if (action === 'suspend') entry = await this.#suspend(tx, fid, 1, decision, days)
    else if (action === 'limit') entry = await this.#setLimited(tx, fid, true, decision)
    else if (onCast) entry = await this.#hide(tx, events, onCast, decision)
    if (entry !== null) return { entry, isNew: true }
    const [standing] = onCast
      ? await log.ofCasts([fid], [onCast], action, 1)
      : await log.list({ fid, actions: [action] }, Number.MAX_SAFE_INTEGER, 1)
    return { entry: standing?.id ?? null, isNew: false }
  }

  /**
   * Ends that a cast is held, if it is: it is shown, or stays hidden as one that a moderator has hidden. What the server has
   * reported about it is answered. Returns the id in the log; null when it was not held.
   */
  async endHold(
    tx: Writer,
    events: EventLog,
    { cast_hash, keeps }: { cast_hash: Uint8Array; keeps: boolean },
    decision: Decision,
  ): Promise<number | null> {
    const held = await tx.of(heldRows).cast(cast_hash)
    if (!held) return null
    if (!keeps) return this.#unhide(tx, events, cast_hash, decision)
    const { fid } = held
    await tx.of(heldRows).removeCast(cast_hash)
    await resolveHold(tx, { fid, cast_hash }, { ...decision, act: 'hide' }, this.#now())
    return this.log(tx, decision, { action: 'hide', fid, cast_hash })
  }

  /**
   * Shows the cast or restores the account that an earlier decision was about, or takes the warning back, in the transaction of
   * another one. Returns the id in the log, and the account is told; null when that changed nothing.
   */
  async reverse(
    tx: Writer,
    events: EventLog,
    {
      action,
      fid,
      cast_hash,
      decision: id,
    }: Pick<Appeal, 'action' | 'fid' | 'cast_hash' | 'decision'>,
    decision: Decision,
  ): Promise<number | null> {
    if (action === 'warn') return this.#unwarn(tx, { id, fid, cast_hash }, decision)
    if (action === 'suspend') return this.#suspend(tx, fid, 0, decision)
    if (action === 'limit') return this.#setLimited(tx, fid, false, decision)
    return cast_hash && this.#unhide(tx, events, cast_hash, decision)
  }

  async takeName(
    held: { readonly name: string; readonly fid: number },
    decision: Decision,
  ): Promise<TakenName> {
    const { takeName } = this.#options
    if (!takeName) {
      const text = 'names are kept by another registry; its operator can take a name back'
      throw new Rejection('not_supported', text)
    }
    const action = 'take-name'
    const taken = await takeName(held, (tx, { from_fid: fid }) =>
      this.log(tx, decision, { action, fid, name: held.name }),
    )
    this.#options.metrics.acted(action)
    return { name: taken.username, fid: taken.from_fid, transferId: taken.id }
  }

  /** Removes a picture or video for good, and tells those who have uploaded it. */
  async removeFile(url: string, decision: Decision): Promise<number[]> {
    const action = 'remove-file'
    const name = url.slice(url.lastIndexOf('/') + 1)
    const { removeFile } = this.#options
    if (!removeFile) throw new Rejection('not_supported', 'this server keeps no pictures')
    const removed = await removeFile(url, async (tx, fids) => {
      for (const fid of fids) await this.log(tx, decision, { action, fid: fid || null, name })
    })
    this.#options.metrics.acted(action)
    return removed
  }

  /** Deletes a poll with its votes for good, and tells who has made it. */
  async removePoll(poll: string, decision: Decision): Promise<number> {
    const action = 'remove-poll'
    const { polls } = this.#options
    if (!polls) throw new Rejection('not_supported', 'this server has no polls')
    const creator = await polls.remove(poll, async (tx, { id: name, fid }) => {
      await this.log(tx, decision, { action, fid, name })
    })
    this.#options.metrics.acted(action)
    return creator
  }

  async #removePollIn(tx: Writer, poll: string, decision: Decision): Promise<number> {
    const { id: name, fid } = await this.#options.polls!.removeIn(tx, poll)
    return this.log(tx, decision, { action: 'remove-poll', fid, name })
  }

  /**
   * Erases all messages of an account for good, in the background. `deadline` is that of the signed request
   * which asked for it, Unix seconds; 0 when the operator does.
   */
  erase(fid: number, decision: Decision, deadline = 0): Promise<AccountState> {
    return this.#decideOn(fid, 'erase', async (tx) => {
      const account = await accountIn(tx, fid)
      if (deadline > 0 && deadline <= account.erase_deadline) {
        if (deadline === account.erase_deadline) return account
        const text = 'a later request for erasure was accepted already'
        throw new Rejection('bad_request.validation_failure', text, { field: 'deadline' })
      }
      const erase_deadline = Math.max(deadline, account.erase_deadline)
      if (account.erasing) return this.#putAccount(tx, { ...account, erase_deadline })
      if (deadline > 0) await consumeErasure(tx, fid, this.#options.clock.now())
      await this.log(tx, decision, { action: 'erase', fid })
      await tx.moderation.addTask({ fid, kind: 'erase' })
      const now = networkTime(this.#options.clock.now())
      const erased_before = await newestTimestamp(tx, fid, now)
      return this.#putAccount(tx, { ...account, erasing: 1, erased_before, erase_deadline })
    })
  }

  /** Writes into the log that somebody exports an account: once for the pages that they ask for within an hour. */
  async exported(fid: number, actor: string): Promise<void> {
    const decision = { actor, reason: 'export' }
    const since = this.#now() - EXPORT_SECONDS
    await this.recorded('export', { fid }, decision, async (tx) => {
      const newest = await tx
        .of(moderationLogRows)
        .list({ fid }, Number.MAX_SAFE_INTEGER, NEWEST_ENTRIES)
      const isKnown = newest.some(
        (one) => one.action === 'export' && one.actor === actor && one.at > since,
      )
      return { result: undefined, isChanged: !isKnown }
    })
  }

  /** Runs `work` and writes into the log what it changed, in one transaction under the hub's lock and those of parts. */
  recorded<T>(
    action: ModerationAction,
    about: Partial<ModerationEntry>,
    decision: Decision,
    work: (
      tx: Writer,
      events: EventLog,
    ) => Promise<{
      readonly result: T
      readonly isChanged: boolean
      readonly goes_with?: number | null
    }>,
    parts: readonly PlatformPart[] = [],
  ): Promise<T> {
    return this.decided(
      action,
      async (tx, events) => {
        const { result, isChanged, goes_with = null } = await work(tx, events)
        if (isChanged) await this.log(tx, decision, { ...about, action, goes_with })
        return result
      },
      parts,
    )
  }

  /** Runs `work` under the hub's lock and those of parts, with the events that it announces. */
  write<T>(
    work: (tx: Writer, log: EventLog) => Promise<T>,
    parts: readonly PlatformPart[] = [],
  ): Promise<T> {
    return this.#storage.write(['hub', ...parts], async (tx) => {
      const log = new EventLog(tx, this.#options.clock.now())
      const done = await work(tx, log)
      await log.flush()
      return done
    })
  }

  /** Runs `work`, which writes into the log, under the hub's lock, and the first batch of the task that it creates. */
  async decided<T>(
    action: ModerationAction,
    work: (tx: Writer, log: EventLog) => Promise<T>,
    parts: readonly PlatformPart[] = [],
  ): Promise<T> {
    const { events, metrics, runJob, onError } = this.#options
    const result = await this.write(async (tx, log) => {
      const done = await work(tx, log)
      await runBatch(tx, log, events)
      return done
    }, parts)
    metrics.acted(action)
    runJob(JOB).catch((error) => onError(error, JOB))
    return result
  }

  #decideOn(
    fid: number,
    action: ModerationAction,
    work: (tx: Writer) => Promise<unknown>,
  ): Promise<AccountState> {
    return this.decided(action, async (tx) => {
      await work(tx)
      return stateOf(tx, fid)
    })
  }

  async #warn(
    tx: Writer,
    { fid, cast_hash, once = false }: Pick<Enforced, 'fid' | 'cast_hash' | 'once'>,
    decision: Decision,
  ): Promise<Enforcement> {
    const action = 'warn'
    const [last] = once
      ? await tx.of(moderationLogRows).list({ fid, actions: [action] }, Number.MAX_SAFE_INTEGER, 1)
      : []
    const isWarned =
      last?.actor === decision.actor &&
      last.reason === decision.reason &&
      last.at > this.#now() - WARNED_ONCE_SECONDS &&
      !(await tx.of(moderationLogRows).isTakenBack(last))
    if (isWarned) return { entry: last.id, isNew: false }
    return { entry: await this.log(tx, decision, { action, fid, cast_hash }), isNew: true }
  }

  /** `id` is that of the warning in the log: each one stands for itself. What it has not answered yet waits for another decision. */
  async #unwarn(
    tx: Writer,
    { id, fid, cast_hash }: Pick<Appeal, 'fid' | 'cast_hash'> & { readonly id: number },
    decision: Decision,
  ): Promise<number | null> {
    const warning = { id, action: 'warn', fid, cast_hash } as const
    if (await tx.of(moderationLogRows).isTakenBack(warning)) return null
    await tx.of(answerRows).withdrawGoingWith(id, fid)
    return this.log(tx, decision, { action: 'unwarn', fid, cast_hash, name: String(id) })
  }

  async #suspend(
    tx: Writer,
    fid: number,
    suspended: 0 | 1,
    decision: Decision,
    days?: number,
  ): Promise<number | null> {
    const account = await accountIn(tx, fid)
    const limits = tx.of(limitRows)
    const ends_at = days === undefined ? undefined : this.#now() + days * DAY_SECONDS
    if (account.suspended === suspended && (await limits.endOf(fid)) === ends_at) return null
    const action = suspended ? 'suspend' : 'restore'
    const name = ends_at === undefined ? null : `until ${timeText(ends_at)}`
    const entry = await this.log(tx, decision, { action, fid, name })
    if (!suspended) await tx.of(answerRows).withdraw({ act: 'suspend', fid })
    if (ends_at === undefined) await limits.removeEnd(fid)
    else await limits.putEnd({ fid, ends_at })
    if (account.suspended === suspended) return entry
    // While messages are being erased, followers are told only of the erasure.
    if (!account.erasing) {
      await tx.moderation.addTask({ fid, kind: suspended ? 'revoke' : 'merge' })
    }
    await this.#putAccount(tx, { ...account, suspended })
    return entry
  }

  async #setLimited(
    tx: Writer,
    fid: number,
    isLimited: boolean,
    decision: Decision,
  ): Promise<number | null> {
    await accountIn(tx, fid)
    const limits = tx.of(limitRows)
    if ((await limits.isLimited(fid)) === isLimited) return null
    const entry = await this.log(tx, decision, { action: isLimited ? 'limit' : 'unlimit', fid })
    if (isLimited) {
      await limits.limit(fid, this.#now())
      return entry
    }
    await limits.unlimit(fid)
    await tx.of(answerRows).withdraw({ act: 'limit', fid })
    return entry
  }

  async #hide(
    tx: Writer,
    events: EventLog,
    hash: Uint8Array,
    decision: Decision,
  ): Promise<number | null> {
    if (await tx.moderation.hiddenCast(hash)) {
      return this.endHold(tx, events, { cast_hash: hash, keeps: true }, decision)
    }
    const cast = await tx.messages.castByHash(hash)
    if (!cast) throw notFound(`cast ${toHex(hash)} does not exist`)
    await tx.moderation.hideCast({ hash, fid: cast.fid, hidden_at: this.#now() })
    const entry = await this.log(tx, decision, { action: 'hide', fid: cast.fid, cast_hash: hash })
    this.#options.events.hide(events, [cast])
    return entry
  }

  async #unhide(
    tx: Writer,
    events: EventLog,
    hash: Uint8Array,
    decision: Decision,
  ): Promise<number | null> {
    const hidden = await tx.moderation.hiddenCast(hash)
    if (!hidden) return null
    const { fid } = hidden
    await tx.moderation.unhideCast(hash)
    await tx.of(answerRows).withdraw({ act: 'hide', fid, cast_hash: hash })
    const [held] = await tx.of(heldRows).castsAmong([hash])
    if (held) {
      const answer = { ...decision, act: 'leave' } as const
      await resolveHold(tx, { fid, cast_hash: hash }, answer, this.#now())
    }
    const action = held ? 'release' : 'unhide'
    const entry = await this.log(tx, decision, { action, fid, cast_hash: hash })
    const cast = await tx.published.messages.castByHash(hash)
    // While its account is hidden nobody can be told: that is done when the account is restored.
    if (held && !cast) await tx.of(heldRows).putCasts([{ ...held, state: 'shown' }])
    else if (held && cast) await publishHeld(tx, events, cast, this.#options.events)
    else if (cast) this.#options.events.show(events, [cast])
    return entry
  }

  async #putAccount(tx: Writer, account: AccountModeration): Promise<AccountModeration> {
    const hidden = account.suspended || account.erasing ? 1 : 0
    const changed = { ...account, hidden, changed_at: this.#now() } as const
    await tx.moderation.putAccount(changed)
    return changed
  }

  /** Writes into the log what is decided, and has those told whom it concerns. Returns the id of the entry. */
  async log(
    tx: Writer,
    { actor, reason }: Decision,
    entry: Pick<ModerationEntry, 'action'> & Partial<ModerationEntry>,
  ): Promise<number> {
    const [decision, now] = [{ actor, reason }, this.#now()]
    const about = { fid: null, cast_hash: null, name: null, ...entry }
    await this.mails.decided(tx, { ...about, ...decision })
    const { id } = await tx.of(moderationLogRows).add({ ...about, ...decision, at: now })
    await answerEnded(tx, about, decision, now)
    return id
  }

  async #runTasks({ signal, lease }: JobRun): Promise<void> {
    const { clock, events } = this.#options
    while (await this.#storage.moderation.nextTask()) {
      signal.throwIfAborted()
      await this.#storage.write('hub', async (tx) => {
        if (lease) await checkLease(tx, lease)
        await runBatch(tx, new EventLog(tx, clock.now()), events)
      })
    }
  }

  #now(): number {
    return unixSeconds(this.#options.clock)
  }
}

/** Every erasure reads the whole log of events. */
async function consumeErasure({ quotas }: Writer, fid: number, nowMs: number): Promise<void> {
  const subject = String(fid)
  const quota = new Quota(ERASURES, await quotas.used(ERASURES, [subject]))
  const terms = { windowMs: DAY_MS, max: MAX_ERASURES_PER_DAY }
  const exceeded = quota.tryConsume(subject, terms, nowMs)
  const text = `an account is erased ${MAX_ERASURES_PER_DAY} times a day`
  if (exceeded) throw refusalOf(exceeded, text)
  await quotas.put(quota.changed)
}

async function stateOf(
  reader: Pick<Reader, 'moderation' | 'of'>,
  fid: number,
): Promise<AccountState> {
  const limits = reader.of(limitRows)
  const [account, isLimited, suspendedUntil] = await Promise.all([
    reader.moderation.account(fid),
    limits.isLimited(fid),
    limits.endOf(fid),
  ])
  return { ...(account ?? untouched(fid)), isLimited, suspendedUntil }
}

async function accountIn(tx: Writer, fid: number): Promise<AccountModeration> {
  if (!(await tx.accounts.custody(fid))) throw notFound(`fid ${fid} is not registered`)
  return (await tx.moderation.account(fid)) ?? untouched(fid)
}

const untouched = (fid: number): AccountModeration => ({
  fid,
  suspended: 0,
  erasing: 0,
  hidden: 0,
  erased_before: 0,
  erase_deadline: 0,
  changed_at: 0,
})

/** The greatest timestamp of the account's messages, at least `now`: clients' clocks may be ahead. */
async function newestTimestamp(tx: Writer, fid: number, now: number): Promise<number> {
  const newest = await Promise.all(
    Object.values(MESSAGE_SETS).map((store) =>
      tx.messages.listByFid({ fid, store }, { size: 1, reverse: true }),
    ),
  )
  return Math.max(
    now,
    ...newest.flatMap(({ items }: Page<StoredMessage>) => items.map(({ timestamp }) => timestamp)),
  )
}

const notFound = (text: string) => new Rejection('not_found', text)
