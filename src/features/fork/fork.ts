import { setTimeout as delay } from 'node:timers/promises'
import { fidFloor } from '../../kernel/accounts/fid-floor.ts'
import { unixSeconds } from '../../kernel/base/clock.ts'
import { MESSAGE_SETS, targetFidOfSlot } from '../../kernel/protocol/slots.ts'
import type { ViewsModule } from '../../kernel/views/module.ts'
import { type ForkContext, LEVELS, messageMerges, readAccount } from './read-account.ts'
import { readThread } from './read-thread.ts'
import { SourceError } from './source.ts'
import { type CastSubject, FID, NAME, type Subjects } from './subjects.ts'
import { forkAccountRows } from './tables/fork-accounts.ts'

/** What was read is served for this long before it is compared with the source again, beside the request. */
const REFRESH_SECONDS = 10 * 60
/** How long the source is not asked again for what it does not have, and for the replies to a cast. */
const SETTLED_MS = 60_000
/** And for what could not be read. */
const FAILED_MS = 10_000
const MAX_SETTLED = 10_000
/** A request waits for what it is about at most this long, and is answered with what is there. */
const WAIT_MS = 20_000
/** And for people whom the account follows, of whom there may be many. */
const WAIT_FOLLOWED_MS = 2_000
/** And for the first accounts of the source, who are there for who has just begun, once one of them is there. */
const WAIT_FIRST_MS = 1_000
/** A page that got an empty list shows it until it is opened again, and a busy machine opens the views late. */
const WAIT_VIEWS_MS = 10_000
/** The people whom somebody has followed last. */
const MAX_FOLLOWED = 100
/** Those that are read for a screen that shows everybody while nobody is kept. */
const FIRST_ACCOUNTS = 25
/** Accounts that are kept; a development network is not for more. */
const MAX_ACCOUNTS = 20_000

/** Until when, and of the data after how many resets. */
type Settled = { readonly untilMs: number; readonly resets: number }

type Running = { readonly level: number; readonly done: Promise<void> }

export type ForkOptions = Omit<ForkContext, 'merges'> & {
  readonly views: Pick<NonNullable<ViewsModule['views']>, 'passed'> | undefined
}

/** Reads accounts of the source when they are asked for, and keeps them. */
export class Fork {
  readonly #options: ForkOptions & ForkContext
  readonly #running = new Map<number, Running>()
  readonly #threads = new Map<string, Promise<void>>()
  /** What need not be asked for again: what the source does not have, threads that were read, and what could not be read. */
  readonly #settled = new Map<number | string, Settled>()

  constructor(options: ForkOptions) {
    this.#options = { ...options, merges: messageMerges(options) }
  }

  /** Resolves when what a request is about was read, as far as the source answers in time. */
  async prepare(
    subjects: Subjects,
    { awaitsViews }: { readonly awaitsViews: boolean },
  ): Promise<void> {
    const { storage, views } = this.#options
    await withinMs(WAIT_MS, this.#read(subjects))
    const { followedBy } = subjects
    if (followedBy) {
      await withinMs(WAIT_FOLLOWED_MS, this.#readFollowed(followedBy.fids, followedBy.level))
    }
    if (subjects.showsEverybody) await withinMs(WAIT_MS, this.#readFirst())
    // Also what another request has read a moment ago.
    if (awaitsViews) await views?.passed(await storage.events.newestId(), WAIT_VIEWS_MS)
  }

  close(): void {
    this.#options.source.close()
  }

  async #read({ fids, names, casts }: Subjects): Promise<void> {
    const named = await Promise.all(names.map((name) => this.#fidOfName(name)))
    const wanted = new Map(fids)
    for (const fid of named) if (fid !== undefined) wanted.set(fid, LEVELS.whole)
    await this.#accounts(wanted)
    await Promise.all(casts.map((cast) => this.#cast(cast)))
  }

  /** A thread is read again after a minute: somebody may have answered. */
  async #cast(cast: CastSubject): Promise<void> {
    const key = `${cast.hash} ${cast.hasReplies}`
    if (this.#isSettled(key)) return
    const done =
      this.#threads.get(key) ?? this.#readThread(key, cast).finally(() => this.#threads.delete(key))
    this.#threads.set(key, done)
    await done
  }

  async #readThread(key: string, cast: CastSubject): Promise<void> {
    const readAuthors = (fids: Iterable<number>) =>
      this.#accounts(new Map([...fids].map((fid) => [fid, LEVELS.profile])))
    const isRead = async () => {
      await readThread(this.#options, cast, readAuthors)
      return true
    }
    const { storage } = this.#options
    const resets = storage.resets()
    const isDone = await asked(isRead)
    if (storage.resets() === resets) this.#settle(key, isDone ? SETTLED_MS : FAILED_MS)
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
    const lists = await Promise.all(fids.map((fid) => this.#followed(fid)))
    await this.#accounts(new Map(lists.flat().map((fid) => [fid, level])))
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
    if (fids.length === 0) return
    const reads = fids.map((fid) => this.#accounts(new Map([[fid, LEVELS.recent]])))
    const all = Promise.all(reads).then(() => {})
    await Promise.all([Promise.race(reads), withinMs(WAIT_FIRST_MS, all)])
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
    const { storage, clock } = this.#options
    const floor = await fidFloor(storage)
    const known = await storage.of(forkAccountRows).ofFids([...wanted.keys()])
    const rows = new Map(known.map((row) => [row.fid, row]))
    const reads = [...wanted].flatMap(([fid, level]) => {
      if (!(fid > 0 && fid <= floor)) return []
      if (this.#isSettled(fid) || this.#isSettled(failureOf(fid))) return []
      const row = rows.get(fid)
      if (!row || row.level < level) return this.#once(fid, level)
      const isOld = unixSeconds(clock) - row.read_at > REFRESH_SECONDS
      if (isOld) void this.#once(fid, row.level)
      return []
    })
    await Promise.all(reads)
  }

  /** Reads of one account follow each other. */
  #once(fid: number, level: number): Promise<void> {
    const running = this.#running.get(fid)
    if (running && running.level >= level) return running.done
    const done = (running?.done ?? Promise.resolve())
      .then(() => this.#readOne(fid, level))
      .finally(() => {
        if (this.#running.get(fid)?.done === done) this.#running.delete(fid)
      })
    this.#running.set(fid, { level, done })
    return done
  }

  /** Never throws: what cannot be read is as it was. */
  async #readOne(fid: number, level: number): Promise<void> {
    const { storage, clock, log } = this.#options
    const resets = storage.resets()
    try {
      const isKept = (await storage.of(forkAccountRows).ofFids([fid])).length > 0
      if (!isKept && (await storage.of(forkAccountRows).count()) >= MAX_ACCOUNTS) {
        log.warn({ fid, most: MAX_ACCOUNTS }, 'this fork keeps no more accounts')
        return
      }
      const isFound = await readAccount(this.#options, fid, { level, isKept })
      // A reset meanwhile has deleted a part of it.
      if (storage.resets() !== resets) return
      if (!isFound) return this.#settle(fid, SETTLED_MS)
      const row = { fid, level, read_at: unixSeconds(clock) }
      await storage.writeShared('hub', (tx) => tx.of(forkAccountRows).put(row))
    } catch (error) {
      this.#settle(failureOf(fid), FAILED_MS)
      if (isPassing(error)) return
      log.warn({ err: error, fid }, 'an account of the forked hub could not be read')
    }
  }

  #isSettled(what: number | string): boolean {
    const settled = this.#settled.get(what)
    if (settled?.resets !== this.#options.storage.resets()) return false
    return settled.untilMs > performance.now()
  }

  #settle(what: number | string, ms: number): void {
    if (this.#settled.size >= MAX_SETTLED) this.#settled.clear()
    const resets = this.#options.storage.resets()
    this.#settled.set(what, { untilMs: performance.now() + ms, resets })
  }
}

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
