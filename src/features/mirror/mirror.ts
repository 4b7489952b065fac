import { statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { VERSION } from '../../kernel/base/version.ts'
import type { JobRun } from '../../kernel/jobs/job.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { GIB } from '../../kernel/protocol/sizes.ts'
import { Applier } from './apply.ts'
import { type MirrorContext, MirrorStoppedError, writeAsLeader } from './context.ts'
import { firstCursor, ShardFollower } from './follower.ts'
import { followContext } from './people/cast-context.ts'
import { erasePerson } from './people/erase.ts'
import { addPeople, Scope } from './people/scope.ts'
import type { Progress } from './progress.ts'
import { retryRules } from './quarantine.ts'
import { Reader } from './reader.ts'
import { addRule, parseRule, ruleText, unknownRule } from './rules.ts'
import { isLoop } from './source/grpc-client.ts'
import { networkOf, otherNetwork } from './source/network.ts'
import { type SourceInfo, SourceRefusedError } from './source/source.ts'
import { resendSubmits } from './submits.ts'
import { type MirrorFid, type MirrorSource, mirrorRows } from './tables/mirror.ts'

/** People whose rows are in memory. */
const PORTION = 500
/** How often the table is looked at when nothing is due. */
const IDLE_MS = 1_000
/** Nobody new is read while a shard is further behind. */
const MAX_LAG_MS = 30_000

export type MirrorOptions = Omit<MirrorContext, 'kind' | 'shards' | 'lease' | 'signal'> & {
  readonly isAll: boolean
  readonly concurrency: number
  readonly minFreeBytes: number
  readonly dataDir: string | undefined
}

/** A server that follows another hub: what it is told to do, and how far it is. */
export class Mirror {
  readonly #options: MirrorOptions
  #followers: readonly ShardFollower[] = []
  #reading = 0
  #wake: (() => void) | undefined
  #problem: string | undefined
  #applier: Applier | undefined
  #refused: string | undefined

  constructor(options: MirrorOptions) {
    this.#options = options
  }

  get progress(): Progress {
    return this.#options.metrics.progress
  }

  get reading(): number {
    return this.#reading
  }

  get followers(): readonly ShardFollower[] {
    return this.#followers
  }

  get problem(): string | undefined {
    return (
      this.#problem ??
      this.#applier?.accounts.problem ??
      this.#followers.find(({ problem }) => problem)?.problem
    )
  }

  /** Why the source does not let this server in, as long as it does not. */
  get refused(): string | undefined {
    return this.#refused
  }

  /** Of the slowest shard that is followed here. */
  get lagMs(): number | undefined {
    return this.#followers.length === 0
      ? undefined
      : Math.max(...this.#followers.map((one) => one.lagMs))
  }

  /** One term as the leader: it ends when another process leads, or when the program stops. */
  async run({ signal, lease }: Pick<JobRun, 'signal' | 'lease'>): Promise<void> {
    const { storage } = this.#options
    const stored = await storage.of(mirrorRows).source()
    if (stored?.stopped) return
    try {
      await this.#mirror(signal, lease)
    } catch (error) {
      if (signal.aborted) return
      this.#problem = (error as Error).message
      if (error instanceof SourceRefusedError) this.#refused = error.message
      if (error instanceof MirrorStoppedError) await this.#stop(error.message)
      else throw error
    } finally {
      this.#followers = []
    }
  }

  async #mirror(outer: AbortSignal, lease: JobRun['lease']): Promise<void> {
    const { source, storage } = this.#options
    const info = await this.#infoOf(source, outer)
    const ended = new AbortController()
    const signal = AbortSignal.any([outer, ended.signal])
    const { kind, shards } = info
    const context: MirrorContext = {
      ...this.#options,
      kind,
      shards: shards.length,
      lease,
      signal,
    }
    await this.#claim(context, info)
    await this.#checkNetwork(context, info)
    if (context.acceptsUnknownSigners) await this.retry('unknown_signer')
    for (const shard of info.shards) {
      if (await storage.of(mirrorRows).shard(shard.shard)) continue
      const cursor = await firstCursor(context, shard)
      await writeAsLeader(context, (tx) => tx.of(mirrorRows).putShards([cursor]))
    }
    const applier = new Applier(context, async (fid) => {
      if (!this.#options.isAll) return
      await addPeople(context, [fid])
      this.wake()
    })
    this.#applier = applier
    const rows = await storage.of(mirrorRows).shards()
    this.#followers = rows.map((row) => new ShardFollower(context, applier, row))
    this.#problem = undefined
    const parts = [
      ...this.#followers.map((one) => one.run()),
      this.#readAll(context, new Reader(context, applier)),
      resendAll(context),
      ...(context.contextDepth > 0 ? [followContext(context)] : []),
    ]
    try {
      await Promise.race(parts)
    } finally {
      ended.abort()
      await Promise.allSettled(parts)
    }
  }

  /** Waits before it fails when the data of the source are those of this server: it is for somebody to change the settings. */
  async #infoOf(source: MirrorContext['source'], signal: AbortSignal): Promise<SourceInfo> {
    try {
      const info = await source.info()
      this.#refused = undefined
      return info
    } catch (error) {
      this.#problem = (error as Error).message
      if (isLoop(error)) await delay(LOOP_WAIT_MS, undefined, { signal }).catch(() => {})
      throw error
    }
  }

  /** Other data, and another network, are refused for good. A new version of this program tries again what older ones refused. */
  async #claim(context: MirrorContext, { kind, version, shards, path }: SourceInfo): Promise<void> {
    const { storage, source, network, clock, log } = context
    const before = await storage.of(mirrorRows).source()
    if (before && before.kind !== kind) {
      throw new MirrorStoppedError(
        `these data are of a ${before.kind}, and ${source.host} is a ${kind}`,
      )
    }
    const row: Omit<MirrorSource, 'name'> = {
      ...(before ?? { since: clock.now(), complete_at: 0, paused: 0, stopped: null }),
      kind,
      version,
      host: source.host,
      network,
      shards: shards.length,
      program: VERSION,
      path,
    }
    await writeAsLeader(context, async (tx) => {
      await tx.of(mirrorRows).putSource(row)
      if (before && before.program !== VERSION) await retryRules(tx, clock.now())
    })
    log.info({ source: source.host, kind, version }, 'mirroring')
  }

  /** A source of another network has nothing that is taken here, whatever the number of its people. */
  async #checkNetwork({ source, network }: MirrorContext, info: SourceInfo): Promise<void> {
    // A source that fails here is asked for what matters next, and its fault is told then.
    const theirs = await networkOf(source, info).catch(() => undefined)
    if (theirs === undefined || theirs === network) return
    throw new MirrorStoppedError(otherNetwork(theirs, network))
  }

  async #stop(why: string): Promise<void> {
    const { storage, log } = this.#options
    log.error({ why }, 'mirror: stopped')
    await storage.write('hub', async (tx) => {
      const source = await tx.of(mirrorRows).source()
      if (source) await tx.of(mirrorRows).putSource({ ...source, stopped: why })
    })
  }

  /** Compares everybody who is due, several at a time, for as long as this process leads. */
  async #readAll(context: MirrorContext, reader: Reader): Promise<void> {
    const { storage, clock, signal } = context
    const busy = new Map<number, Promise<void>>()
    let failure: unknown
    const scope = new Scope(context, this.#options.isAll)
    while (!signal.aborted) {
      await scope.resolve()
      if (failure) throw failure
      const due = (await this.#mayRead(storage))
        ? await storage.of(mirrorRows).due(clock.now(), PORTION)
        : []
      const next = due.filter(({ fid }) => !busy.has(fid))
      for (const row of next) {
        while (busy.size >= this.#options.concurrency) await Promise.race(busy.values())
        if (signal.aborted || failure || this.#isBehind()) break
        const work = this.#compare(context, reader, row)
          .catch((error) => {
            failure ??= error
          })
          .finally(() => busy.delete(row.fid))
        busy.set(row.fid, work)
      }
      if (next.length === 0 && busy.size === 0) await this.#noteComplete(context)
      if (next.length === 0) await this.#idle(busy, signal)
    }
    await Promise.allSettled(busy.values())
    if (failure && !(failure instanceof SourceRefusedError)) throw failure
  }

  async #compare(context: MirrorContext, reader: Reader, row: MirrorFid): Promise<void> {
    this.#reading++
    try {
      if (row.state === 'erasing') await erasePerson(context, row.fid)
      else await reader.compare(row)
    } finally {
      this.#reading--
    }
  }

  /** Whether events wait here. A shard from which nothing comes does not come any sooner when nobody is read. */
  #isBehind(): boolean {
    return this.#followers.some(({ lagMs, problem }) => problem === undefined && lagMs > MAX_LAG_MS)
  }

  async #mayRead(storage: MirrorContext['storage']): Promise<boolean> {
    const { minFreeBytes } = this.#options
    if (this.#isBehind() || (await storage.of(mirrorRows).source())?.paused === 1) return false
    const free = await this.freeBytes()
    const isFull = free !== undefined && free < minFreeBytes
    if (isFull)
      this.#problem = `less than ${minFreeBytes / GIB} GiB of disk are free: nobody is read`
    return !isFull
  }

  /** Free bytes on the disk of the data; undefined when the data are on a database server. */
  async freeBytes(): Promise<number | undefined> {
    const { dataDir } = this.#options
    if (dataDir === undefined) return undefined
    const { bavail, bsize } = await statfs(dataDir)
    return bavail * bsize
  }

  async #idle(busy: ReadonlyMap<number, Promise<void>>, signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    const waiting = delay(IDLE_MS, undefined, { signal, ref: false }).catch(() => {})
    await Promise.race([woken, waiting, ...busy.values()])
  }

  /** Notes once that everybody was read. */
  async #noteComplete(context: MirrorContext): Promise<void> {
    const { storage, clock } = context
    const source = await storage.of(mirrorRows).source()
    if (!source || source.complete_at > 0) return
    const states = await storage.of(mirrorRows).states()
    const isWaiting = states.some(({ state, n }) => state === 'waiting' && n > 0)
    if (isWaiting || states.length === 0) return
    await writeAsLeader(context, (tx) =>
      tx.of(mirrorRows).putSource({ ...source, complete_at: clock.now() }),
    )
  }

  /** Looks at once whether there is something to do. */
  wake(): void {
    this.#wake?.()
  }

  async addRule(text: string, cap?: number): Promise<void> {
    const { storage, clock, isAll } = this.#options
    if (isAll)
      throw new Rejection(
        'bad_request.conflict',
        'everybody is mirrored (ROOKERY_MIRROR_SCOPE=all)',
      )
    const rule = parseRule(text)
    await storage.write('hub', (tx) => addRule(tx, rule, { now: clock.now(), ...(cap && { cap }) }))
    this.wake()
  }

  /** Whom no other rule names is followed for a day; with `isErased` their messages are removed from now on. */
  async removeRule(text: string, isErased = false): Promise<void> {
    const rule = parseRule(text)
    const { storage, clock } = this.#options
    await storage.write('hub', async (tx) => {
      const known = (await tx.of(mirrorRows).rules()).find(
        (one) => ruleText(one) === ruleText(rule),
      )
      if (!known) throw await unknownRule(tx, rule)
      if (isErased) await tx.of(mirrorRows).eraseMembers(known.id, clock.now())
      await tx.of(mirrorRows).removeRule(known.id)
    })
    this.wake()
  }

  /** Has people with refused messages compared again. Returns how many. */
  async retry(reason: string | undefined): Promise<number> {
    const { storage, clock } = this.#options
    const people = await storage.write('hub', (tx) =>
      tx.of(mirrorRows).retryRefused(reason, clock.now()),
    )
    this.wake()
    return people
  }

  /** Has somebody compared with the source as soon as possible, and what differs repaired. */
  async compareAgain(fid: number): Promise<void> {
    const { storage, clock } = this.#options
    await storage.write('hub', async (tx) => {
      const [row] = await tx.of(mirrorRows).fids([fid])
      if (!row || row.state === 'frozen') {
        throw new Rejection('not_found', `fid ${fid} is not mirrored`, { field: 'fid' })
      }
      await tx.of(mirrorRows).setDue([fid], clock.now())
    })
    this.wake()
  }

  async setPaused(isPaused: boolean): Promise<void> {
    await this.#options.storage.write('hub', async (tx) => {
      const source = await tx.of(mirrorRows).source()
      if (!source) throw new Rejection('unavailable', 'the source was not reached yet')
      // Who resumes has acted on what stopped it.
      await tx.of(mirrorRows).putSource({
        ...source,
        paused: isPaused ? 1 : 0,
        stopped: isPaused ? source.stopped : null,
      })
    })
    this.wake()
  }
}

/** Until a source is asked again whose data are those of this server. */
const LOOP_WAIT_MS = 60_000

/** How often submits without confirmation are looked for. */
const RESEND_EVERY_MS = 2_000

/** For as long as this process leads. */
async function resendAll(context: MirrorContext): Promise<void> {
  const { signal } = context
  while (!signal.aborted) {
    await resendSubmits(context)
    await delay(RESEND_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
