import { setTimeout as delay } from 'node:timers/promises'
import { fidFloor } from '../../kernel/accounts/fid-floor.ts'
import { unixSeconds } from '../../kernel/base/clock.ts'
import { MESSAGE_SETS, targetFidOfSlot } from '../../kernel/protocol/slots.ts'
import type { ViewsModule } from '../../kernel/views/module.ts'
import { fidOfMessage, timestampOfMessage } from '../mirror/port.ts'
import {
  type ForkContext,
  LEVELS,
  messageMerges,
  newestCasts,
  readAccount,
  UNREAD,
} from './read-account.ts'
import { readThread } from './read-thread.ts'
import { SourceError } from './source.ts'
import { type CastSubject, FID, NAME, type Subjects } from './subjects.ts'
import { type ForkAccount, forkAccountRows } from './tables/fork-accounts.ts'

/** What was read is served for this long before it is compared with the source again, beside the request. */
const REFRESH_SECONDS = 10 * 60
/** How long the source is not asked again for what it does not have, and for the replies to a cast. */
const SETTLED_MS = 60_000
/** And for what could not be read. */
const FAILED_MS = 10_000
const MAX_SETTLED = 10_000
/** A request waits for what it is about at most this long, and is answered with what is there. */
const WAIT_MS = 20_000
/** And for the casts of a feed, which are those of many people; in the beginning until one of them is there. */
const WAIT_FEED_MS = 2_000
/** A page that got an empty list shows it until it is opened again, and a busy machine opens the views late. */
const WAIT_VIEWS_MS = 10_000
/** What nobody waits for waits so long for the requests that do: they may never end all together. */
const WAIT_QUIET_MS = 1_000
/** The people whom somebody has followed last. */
const MAX_FOLLOWED = 100
/** Those that are read for a screen that shows everybody while nobody is kept. */
const FIRST_ACCOUNTS = 25
/** A feed reads casts of so many people at a time, and first the authors of so many of the newest. */
const FEED_ACCOUNTS = 25
const FEED_CASTS = 25
/** Accounts that wait to be read further; the others are when they are asked for. */
const MAX_LATER = 2_000
/** Accounts that are kept; a development network is not for more. */
const MAX_ACCOUNTS = 20_000

/** Until when by the clock of the network, and of the data after how many resets. */
type Settled = { readonly untilMs: number; readonly resets: number }

type Running = { readonly level: number; readonly done: Promise<void> }

type Casts = readonly Uint8Array[]

/** What is read of an account when no request waits. */
type Later = { readonly level: number; readonly hasCasts: boolean; readonly resets: number }

export type ForkOptions = Omit<ForkContext, 'merges'> & {
  readonly views: Pick<NonNullable<ViewsModule['views']>, 'passed'> | undefined
}

/** Reads accounts of the source when they are asked for, and keeps them. */
export class Fork {
  readonly #options: ForkOptions & ForkContext
  readonly #running = new Map<number, Running>()
  readonly #threads = new Map<string, Promise<void>>()
  readonly #castLists = new Map<number, Promise<Casts | undefined>>()
  /** What need not be asked for again: what the source does not have, threads that were read, and what could not be read. */
  readonly #settled = new Map<number | string, Settled>()
  readonly #waiting = new Set<Promise<void>>()
  readonly #later = new Map<number, Later>()
  #readingLater: Promise<void> | undefined
  /** After how many resets the log has said that no more accounts are kept. */
  #toldFull: number | undefined

  constructor(options: ForkOptions) {
    this.#options = { ...options, merges: messageMerges(options) }
  }

  /** Resolves when what a request is about was read, as far as the source answers in time. */
  async prepare(
    subjects: Subjects,
    { awaitsViews }: { readonly awaitsViews: boolean },
  ): Promise<void> {
    const { storage, views } = this.#options
    const reading = this.#readAll(subjects)
    this.#waiting.add(reading)
    await reading.finally(() => this.#waiting.delete(reading))
    // Also what another request has read a moment ago. Not `newestId`: after a revert that is an id which no event has any more.
    if (awaitsViews) await views?.passed((await storage.events.logState(0)).newestId, WAIT_VIEWS_MS)
  }

  /** Resolves when nothing more is read of what was asked for, or after a while. */
  async settled(): Promise<void> {
    if (this.#readingLater) await withinMs(WAIT_MS, this.#readingLater)
  }

  close(): void {
    this.#later.clear()
    this.#options.source.close()
  }

  async #readAll(subjects: Subjects): Promise<void> {
    await withinMs(WAIT_MS, this.#read(subjects))
    const { followedBy } = subjects
    if (followedBy) {
      await withinMs(WAIT_FEED_MS, this.#readFollowed(followedBy.fids, followedBy.level))
    }
    if (subjects.showsEverybody) await withinMs(WAIT_MS, this.#readFirst())
  }

  async #read({ fids, names, casts }: Subjects): Promise<void> {
    const named = await Promise.all(names.map((name) => this.#fidOfName(name)))
    const wanted = new Map(fids)
    for (const fid of named) if (fid !== undefined) wanted.set(fid, LEVELS.whole)
    await this.#accounts(wanted)
    await Promise.all(casts.map((cast) => this.#cast(cast)))
  }

  /** A thread is read again after a minute: somebody may have answered or deleted; and soon where authors could not be read. */
  async #cast(cast: CastSubject): Promise<void> {
    const key = `${cast.hash} ${cast.hasReplies}`
    if (this.#isSettled(key)) return
    const done =
      this.#threads.get(key) ?? this.#readThread(key, cast).finally(() => this.#threads.delete(key))
    this.#threads.set(key, done)
    await done
  }

  async #readThread(key: string, cast: CastSubject): Promise<void> {
    const { storage } = this.#options
    const resets = storage.resets()
    const isAgain = this.#settled.get(key)?.resets === resets
    const authors = new Set<number>()
    const readAuthors = (fids: Iterable<number>) => {
      const some = [...fids]
      for (const fid of some) authors.add(fid)
      return this.#authors(some)
    }
    const isDone = await asked(async () => {
      await readThread(this.#options, cast, { readAuthors, isAgain })
      return (await this.#unread([...authors])).length === 0
    })
    if (storage.resets() === resets) this.#settle(key, isDone ? SETTLED_MS : FAILED_MS)
  }

  /** Those that the source may have and of whom nothing is kept: it did not answer. */
  async #unread(fids: readonly number[]): Promise<number[]> {
    if (await this.#isFull()) return []
    const { storage } = this.#options
    const rows = await storage.of(forkAccountRows).ofFids(fids)
    const kept = new Set(rows.map(({ fid }) => fid))
    const floor = await fidFloor(storage)
    return fids.filter((fid) => fid <= floor && !kept.has(fid) && !this.#isSettled(fid))
  }

  /**
   * The account of a fid or a name, read from the source if it is not kept; undefined when there is none. Throws a
   * SourceError when that cannot be known.
   */
  async find(text: string): Promise<number | undefined> {
    const name = text.replace(/^@/, '').toLowerCase()
    if (FID.test(name)) return this.#found(Number(name))
    if (!NAME.test(name)) return undefined
    const fid = await this.#fidOfName(name)
    if (fid !== undefined) return this.#found(fid)
    if (this.#isSettled(name)) return undefined
    throw new SourceError('the name could not be read')
  }

  async #found(fid: number): Promise<number | undefined> {
    const { storage } = this.#options
    await this.#accounts(new Map([[fid, LEVELS.whole]]))
    if (await storage.accounts.custody(fid)) return fid
    if (fid > (await fidFloor(storage)) || this.#isSettled(fid)) return undefined
    throw new SourceError('the account could not be read')
  }

  async #readFollowed(fids: readonly number[], level: number): Promise<void> {
    const followed = (await Promise.all(fids.map((fid) => this.#followed(fid)))).flat()
    if (level >= LEVELS.recent) await this.#readFeed(followed)
    else await Promise.all((await this.#authors(followed)).values())
  }

  async #followed(fid: number): Promise<number[]> {
    const list = { fid, store: MESSAGE_SETS.links }
    const { items } = await this.#options.storage.messages.listByFid(list, {
      size: MAX_FOLLOWED,
      reverse: true,
    })
    return items.map(({ slot }) => targetFidOfSlot(slot))
  }

  /** Somebody to look at, unless there is. */
  async #readFirst(): Promise<void> {
    const { storage, source } = this.#options
    if ((await storage.of(forkAccountRows).count()) > 0) return
    const answer = await asked(() => source.get('fids', { pageSize: FIRST_ACCOUNTS, shard_id: 1 }))
    const fids = Array.isArray(answer?.fids) ? answer.fids.slice(0, FIRST_ACCOUNTS).map(Number) : []
    const anybody = Promise.withResolvers<void>()
    const all = this.#readFeed(fids.filter(Number.isSafeInteger), anybody.resolve)
    const some = Promise.all([anybody.promise, withinMs(WAIT_FEED_MS, all)])
    await Promise.race([all, some])
  }

  /**
   * The newest casts of these people. Their lists say whose the newest are; only the authors of these are waited for, and the
   * rest is read when no request waits. `onShown`: casts of somebody are there.
   */
  async #readFeed(fids: readonly number[], onShown = () => {}): Promise<void> {
    for (let at = 0; at < fids.length; at += FEED_ACCOUNTS) {
      const missing = await this.#missing(fids.slice(at, at + FEED_ACCOUNTS), LEVELS.recent)
      const unread = missing.filter((fid) => !this.#isToHaveCasts(fid))
      const lists = await Promise.all(unread.map((fid) => this.#newestCasts(fid)))
      const newest = lists.flatMap((casts) => casts ?? []).sort(isNewerFirst)
      const first = new Set(newest.slice(0, FEED_CASTS).map(fidOfMessage))
      const reads = unread.map(async (fid, i) => {
        const hasCasts = first.has(fid) && (await this.#mergeCasts(fid, lists[i]!))
        if (hasCasts) onShown()
        this.#readLater(fid, LEVELS.recent, { hasCasts })
      })
      await Promise.all(reads)
    }
  }

  #isToHaveCasts(fid: number): boolean {
    const levels = [this.#running.get(fid)?.level, this.#later.get(fid)?.level]
    return levels.some((level) => level !== undefined && level >= LEVELS.recent)
  }

  /** Returns false when the author could not be read. */
  async #mergeCasts(fid: number, casts: Casts): Promise<boolean> {
    await (await this.#authors([fid])).get(fid)
    if (!(await this.#options.storage.accounts.custody(fid))) return false
    await this.#options.merges.run(casts)
    return true
  }

  /** One request for all who ask for them at the same time. */
  #newestCasts(fid: number): Promise<Casts | undefined> {
    const running = this.#castLists.get(fid)
    if (running) return running
    const list = asked(() => newestCasts(this.#options, fid)).finally(() =>
      this.#castLists.delete(fid),
    )
    this.#castLists.set(fid, list)
    return list
  }

  /** The fid that holds a name, here or at the source. */
  async #fidOfName(name: string): Promise<number | undefined> {
    const { storage, source } = this.#options
    const held = await storage.nameProofs.byName(Buffer.from(name))
    if (held && held.fid > 0) return held.fid
    if (this.#isSettled(name)) return undefined
    const proof = await asked(() => source.get('name', { name }), 'silent' as const)
    if (proof === 'silent') return undefined
    const fid = Number(proof?.fid)
    if (Number.isSafeInteger(fid) && fid > 0) return fid
    this.#settle(name, SETTLED_MS)
    return undefined
  }

  /** Reads accounts that are not known, or not well enough, and returns when they were. */
  async #accounts(wanted: ReadonlyMap<number, number>): Promise<void> {
    const rows = await this.#rows([...wanted.keys()])
    const reads = [...rows].map(([fid, row]) => {
      const level = wanted.get(fid)!
      if (!row || row.level < level) return this.#once(fid, level)
      if (this.#isOld(row)) this.#readLater(fid, row.level)
      return undefined
    })
    await Promise.all(reads)
  }

  /** Reads accounts as far as their casts need them, and the rest of their profiles when no request waits. */
  async #authors(fids: Iterable<number>): Promise<Map<number, Promise<void>>> {
    const rows = await this.#rows([...fids])
    const reads = new Map<number, Promise<void>>()
    for (const [fid, row] of rows) {
      if (!row) reads.set(fid, this.#once(fid, LEVELS.author))
      if (!row || row.level < LEVELS.profile || this.#isOld(row)) {
        this.#readLater(fid, Math.max(LEVELS.profile, row?.level ?? 0))
      }
    }
    return reads
  }

  /** Those of whom less is kept; the others are compared with the source when they are old. */
  async #missing(fids: readonly number[], level: number): Promise<number[]> {
    const rows = await this.#rows(fids)
    return [...rows].flatMap(([fid, row]) => {
      if (!row || row.level < level) return [fid]
      if (this.#isOld(row)) this.#readLater(fid, row.level)
      return []
    })
  }

  /** What is kept of accounts that the source may have, and that may be asked for now. */
  async #rows(fids: readonly number[]): Promise<Map<number, ForkAccount | undefined>> {
    const { storage } = this.#options
    const floor = await fidFloor(storage)
    const asked = [...new Set(fids)].filter(
      (fid) => fid > 0 && fid <= floor && !this.#isSettled(fid) && !this.#isSettled(failureOf(fid)),
    )
    const rows = await storage.of(forkAccountRows).ofFids(asked)
    const byFid = new Map(rows.map((row) => [row.fid, row]))
    return new Map(asked.map((fid) => [fid, byFid.get(fid)]))
  }

  #isOld({ read_at }: ForkAccount): boolean {
    return unixSeconds(this.#options.clock) - read_at > REFRESH_SECONDS
  }

  /** Reads of one account follow each other. */
  #once(fid: number, level: number, { hasCasts = false } = {}): Promise<void> {
    const running = this.#running.get(fid)
    if (running && running.level >= level) return running.done
    const done = (running?.done ?? Promise.resolve())
      .then(() => this.#readOne(fid, level, hasCasts))
      .finally(() => {
        if (this.#running.get(fid)?.done === done) this.#running.delete(fid)
      })
    this.#running.set(fid, { level, done })
    return done
  }

  /** Reads an account when no request waits for the source. `hasCasts`: its newest casts are kept. */
  #readLater(fid: number, level: number, { hasCasts = false } = {}): void {
    const noted = this.#later.get(fid)
    if (noted ? noted.level >= level : this.#later.size >= MAX_LATER) return
    this.#later.set(fid, { level, hasCasts, resets: this.#options.storage.resets() })
    this.#readingLater ??= this.#readOthers()
  }

  async #readOthers(): Promise<void> {
    // What is added meanwhile comes last.
    for (const [fid] of this.#later) {
      await this.#quiet()
      const later = this.#later.get(fid)
      this.#later.delete(fid)
      if (later?.resets === this.#options.storage.resets()) {
        await this.#once(fid, later.level, later)
      }
    }
    // At once: what is added from here on begins anew.
    this.#readingLater = undefined
  }

  /** Resolves when no request waits, or after a while. */
  async #quiet(): Promise<void> {
    const end = performance.now() + WAIT_QUIET_MS
    for (let left = WAIT_QUIET_MS; left > 0 && this.#waiting.size > 0; ) {
      await withinMs(
        left,
        Promise.race(this.#waiting).catch(() => {}),
      )
      left = end - performance.now()
    }
  }

  /** Reads what is missing of an account, and compares all of it if it is old. Never throws: what cannot be read is as it was. */
  async #readOne(fid: number, wanted: number, hasCasts: boolean): Promise<void> {
    const { storage, clock, log } = this.#options
    const resets = storage.resets()
    try {
      const [row] = await storage.of(forkAccountRows).ofFids([fid])
      if (!row && (await this.#isFull())) return
      const isFresh = row !== undefined && !this.#isOld(row)
      const level = Math.max(wanted, row?.level ?? UNREAD)
      const above = isFresh ? row.level : UNREAD
      if (level === above) return
      // Those of an account that is compared are, too.
      const terms = { level, above, isKept: row !== undefined, hasCasts: hasCasts && isFresh }
      const isFound = await readAccount(this.#options, fid, terms)
      // A reset meanwhile has deleted a part of it.
      if (storage.resets() !== resets) return
      if (!isFound) return this.#settle(fid, SETTLED_MS)
      const read_at = isFresh ? row.read_at : unixSeconds(clock)
      await storage.writeShared('hub', (tx) => tx.of(forkAccountRows).put({ fid, level, read_at }))
    } catch (error) {
      this.#settle(failureOf(fid), FAILED_MS)
      if (isPassing(error)) return
      log.warn({ err: error, fid }, 'an account of the forked hub could not be read')
    }
  }

  /** It says so once. */
  async #isFull(): Promise<boolean> {
    const { storage, log } = this.#options
    if ((await storage.of(forkAccountRows).count()) < MAX_ACCOUNTS) return false
    if (this.#toldFull !== storage.resets()) {
      log.warn({ most: MAX_ACCOUNTS }, 'this fork keeps no more accounts: the others are not read')
    }
    this.#toldFull = storage.resets()
    return true
  }

  #isSettled(what: number | string): boolean {
    const settled = this.#settled.get(what)
    if (settled?.resets !== this.#options.storage.resets()) return false
    return settled.untilMs > this.#options.clock.now()
  }

  #settle(what: number | string, ms: number): void {
    if (this.#settled.size >= MAX_SETTLED) this.#settled.clear()
    const resets = this.#options.storage.resets()
    this.#settled.set(what, { untilMs: this.#options.clock.now() + ms, resets })
  }
}

const isNewerFirst = (one: Uint8Array, other: Uint8Array): number =>
  timestampOfMessage(other) - timestampOfMessage(one)

const failureOf = (fid: number): string => `failed ${fid}`

/** The source does not answer, or this program ends. */
const isPassing = (error: unknown): boolean =>
  error instanceof SourceError || (error as Error).name === 'AbortError'

/** What the source answers; `otherwise` when it does not. */
async function asked<T, O = undefined>(ask: () => Promise<T>, otherwise?: O): Promise<T | O> {
  try {
    return await ask()
  } catch (error) {
    if (isPassing(error)) return otherwise as O
    throw error
  }
}

/** Resolves with the work, or without it after this time; the work goes on. */
async function withinMs(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  const time = delay(ms, undefined, { signal: timer.signal, ref: false }).catch(() => {})
  await Promise.race([work, time])
  timer.abort()
}
