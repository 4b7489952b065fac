import type { IncomingHttpHeaders } from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../kernel/base/backoff.ts'
import { eventTime, firstEventIdAt } from '../../kernel/protocol/event-id.ts'
import type { Applier } from './apply.ts'
import { type MirrorContext, writeAsLeader } from './context.ts'
import { Blocks, blockOf, loggedBlocks, type WholeBlock } from './source/blocks.ts'
import { readEvent, type SourceEvent } from './source/events.ts'
import { GrpcError, isLoop } from './source/grpc-client.ts'
import { subscribeToHubble } from './source/hubble-stream.ts'
import { IDS_PER_BLOCK, SOURCE_BACKOFF, type SourceInfo } from './source/source.ts'
import { type MirrorShard, mirrorRows } from './tables/mirror.ts'

const BATCH_EVENTS = 512
const BATCH_BYTES = 4 * 1024 * 1024
/** Events that arrive together are applied together. */
const GATHER_MS = 20
/** Snapchain sends a block each second. */
const BLOCK_SILENCE_MS = 15_000
/** How often a silent source without blocks is asked whether it lives. */
const PROBE_MS = 30_000
const REPAIR_ATTEMPTS = 5
const REPAIR_PAGE = 1_000
/** Ids of sources without blocks are times: this much before the start is read again, what is known changes nothing. */
const OVERLAP_MS = 10 * 60_000
const HUBBLE_KEPT_MS = 71 * 3_600_000
/** The cursor is written at least this often when nothing concerns anybody who is mirrored. */
const IDLE_WRITE_MS = 2_000

const NO_HASH = new Uint8Array(0)

/** Where following begins: from here on no event is lost. */
export async function firstCursor(
  { source, clock, kind }: Pick<MirrorContext, 'source' | 'clock' | 'kind'>,
  { shard, height }: SourceInfo['shards'][number],
): Promise<MirrorShard> {
  const at = clock.now()
  const row = { shard, block_hash: NO_HASH, at, gaps_seen: 0, gaps_repaired: 0, gaps_pruned: 0 }
  if (kind === 'snapchain') return { ...row, cursor: height * IDS_PER_BLOCK, block_number: height }
  if (kind === 'hubble') {
    return { ...row, cursor: firstEventIdAt(at - OVERLAP_MS), block_number: 0 }
  }
  const [newest] = await source.events(undefined, { from: 0, reverse: true, limit: 1 })
  return { ...row, cursor: newest ? readEvent(newest).id : 0, block_number: 0 }
}

/** Follows the events of one shard and never passes one that is missing. */
export class ShardFollower {
  readonly #context: MirrorContext
  readonly #applier: Applier
  readonly #isSnapchain: boolean
  #row: MirrorShard
  #address: number
  #lastWrite = 0
  #problem: string | undefined
  #isCaughtUp = false

  constructor(context: MirrorContext, applier: Applier, row: MirrorShard) {
    this.#context = context
    this.#applier = applier
    this.#row = row
    this.#isSnapchain = context.kind === 'snapchain'
    this.#address = context.source.address
  }

  get row(): MirrorShard {
    return this.#row
  }

  /** Why events do not arrive now. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** A source without blocks is silent when nothing happens. */
  get lagMs(): number {
    if (this.#isCaughtUp && !this.#isSnapchain) return 0
    return Math.max(0, this.#context.clock.now() - this.#row.at)
  }

  async run(): Promise<void> {
    const { signal, source, log } = this.#context
    for (let attempt = 1; !signal.aborted; ) {
      const before = this.#row.cursor
      try {
        await this.#follow()
      } catch (error) {
        if (signal.aborted) return
        if (isLoop(error) || !(error instanceof GrpcError || error instanceof SilenceError))
          throw error
        this.#problem = error.message
        this.#isCaughtUp = false
        if (error instanceof GrpcError && error.code === 'bad_request.future_event') {
          await this.#beginAgain('the source has older events only')
        }
        log.warn({ err: error, shard: this.#row.shard }, 'mirror: the stream of events ended')
        source.noteFault(this.#address)
      }
      attempt = this.#row.cursor === before ? attempt + 1 : 1
      await delay(backoffMs(SOURCE_BACKOFF, attempt), undefined, { signal }).catch(() => {})
    }
  }

  async #follow(): Promise<void> {
    await this.#checkAddress()
    await this.#checkAge()
    const { source, signal, kind } = this.#context
    const queue = new EventQueue()
    const { shard, cursor } = this.#row
    let oldest: number | undefined
    const onHeaders = (headers: IncomingHttpHeaders) => {
      oldest = Number(headers['x-oldest-event-id'] ?? 0)
    }
    const onMessage = (bytes: Buffer) => {
      if (queue.push(bytes)) stream.pause()
    }
    const stream =
      kind === 'hubble'
        ? await subscribeToHubble(source, cursor, onMessage)
        : source.subscribe(shardOf(shard), cursor, { onHeaders, onMessage })
    const ended = stream.ended.then(
      () => queue.end(new SilenceError('the source ended the stream')),
      (error: Error) => queue.end(error),
    )
    const stop = () => stream.close()
    signal.addEventListener('abort', stop)
    try {
      const blocks = new Blocks(this.#row.block_number)
      while (!signal.aborted) {
        const batch = await this.#next(queue)
        if (oldest !== undefined && oldest > this.#row.cursor && this.#row.cursor > 0) {
          await this.#everybodyIsDue('the source has pruned events that were not read')
        }
        oldest = undefined
        if (batch) await this.#apply(batch, blocks)
        stream.resume()
        this.#problem = undefined
        source.noteSuccess(this.#address)
      }
    } finally {
      signal.removeEventListener('abort', stop)
      stream.close()
      await ended
    }
  }

  /** The next events; undefined when a silent source still answers. */
  async #next(queue: EventQueue): Promise<SourceEvent[] | undefined> {
    const { source, clock } = this.#context
    const waitMs = this.#isSnapchain ? BLOCK_SILENCE_MS : PROBE_MS
    this.#isCaughtUp = queue.isEmpty
    if (await queue.wait(waitMs)) return queue.take()
    if (this.#isSnapchain) throw new SilenceError(`no block for ${waitMs / 1_000} s`)
    const { path } = await source.info()
    if (!queue.isEmpty) return queue.take()
    this.#row = { ...this.#row, at: clock.now() }
    await this.#notePath(path)
    await this.#write()
    return undefined
  }

  /** Who mirrors this server sees in it whether they mirror each other. */
  async #notePath(path: string): Promise<void> {
    const source = await this.#context.storage.of(mirrorRows).source()
    if (!source || source.path === path) return
    await writeAsLeader(this.#context, async (tx) => {
      const newest = await tx.of(mirrorRows).source()
      if (newest) await tx.of(mirrorRows).putSource({ ...newest, path })
    })
  }

  async #apply(events: readonly SourceEvent[], blocks: Blocks): Promise<void> {
    if (!this.#isSnapchain) {
      const last = events.reduce((id, event) => Math.max(id, event.id), this.#row.cursor)
      const at = Math.min(this.#context.clock.now(), eventTime(last))
      const cursor = { ...this.#row, cursor: last, at: Math.max(this.#row.at, at) }
      await this.#applier.events(
        events.filter(({ id }) => id !== this.#row.cursor),
        cursor,
      )
      this.#row = cursor
      return
    }
    let whole: WholeBlock[] = []
    for (const event of events) {
      const taken = blocks.take(event)
      if (!taken) continue
      if ('events' in taken) {
        whole.push(taken)
        continue
      }
      await this.#applyBlocks(whole, blocks)
      whole = []
      await this.#repair(taken.upTo, blocks)
      // What the repair did not have yet.
      const left = blocks.take(event)
      if (left && 'events' in left) whole.push(left)
    }
    await this.#applyBlocks(whole, blocks)
  }

  async #applyBlocks(whole: readonly WholeBlock[], blocks: Blocks): Promise<void> {
    // Keys first: messages by them follow.
    let first = whole.length > 0 ? blocks.takeUnlogged() : []
    for (let at = 0; at < whole.length; first = []) {
      const some: WholeBlock[] = []
      for (let events = 0; at < whole.length && events < BATCH_EVENTS; at++) {
        some.push(whole[at]!)
        events += whole[at]!.events.length
      }
      const last = some.at(-1)!
      const cursor = {
        ...this.#row,
        cursor: last.events.at(-1)!.id,
        block_number: last.number,
        block_hash: last.hash,
        at: this.#context.clock.now(),
      }
      await this.#applier.events([...first, ...some.flatMap(({ events }) => events)], cursor)
      this.#row = cursor
    }
  }

  /** Fetches the blocks after the last whole one, up to this one. */
  async #repair(upTo: number, blocks: Blocks): Promise<void> {
    const { log } = this.#context
    const { shard } = this.#row
    const { held } = blocks
    let isGap = false
    for (let attempt = 1; attempt <= REPAIR_ATTEMPTS; attempt++) {
      const from = (this.#row.block_number + 1) * IDS_PER_BLOCK
      const found = await this.#fetch(from, (upTo + 1) * IDS_PER_BLOCK)
      const first = found[0] && blockOf(found[0])
      const before = found.filter((event) => blockOf(event) < upTo)
      // What was waited for is not always logged.
      if (attempt === 1 && before.length !== held) isGap = true
      if (attempt === 1 && isGap) this.#noteGap('seen')
      if (first !== undefined && first > this.#row.block_number + 1) {
        this.#row = { ...this.#row, block_number: first - 1 }
        await this.#everybodyIsDue('the source has pruned blocks that were not read')
      }
      const logged = loggedBlocks(found, this.#row.block_number)
      await this.#applyBlocks(logged, blocks)
      blocks.restart(this.#row.block_number)
      if (blocks.last >= upTo - 1) {
        if (isGap) this.#noteGap('repaired')
        return
      }
      await delay(backoffMs(SOURCE_BACKOFF, attempt), undefined, { signal: this.#context.signal })
    }
    log.error({ shard, block: blocks.last + 1 }, 'mirror: the source has a block that is not whole')
    throw new SilenceError(`block ${blocks.last + 1} cannot be read whole`)
  }

  #noteGap(outcome: 'seen' | 'repaired'): void {
    this.#context.metrics.gap(this.#row.shard, outcome)
    const { gaps_seen, gaps_repaired } = this.#row
    this.#row =
      outcome === 'seen'
        ? { ...this.#row, gaps_seen: gaps_seen + 1 }
        : { ...this.#row, gaps_repaired: gaps_repaired + 1 }
  }

  async #fetch(from: number, before: number): Promise<SourceEvent[]> {
    const { source } = this.#context
    const events: SourceEvent[] = []
    for (let next = from; ; ) {
      const range = { from: next, before, limit: REPAIR_PAGE }
      const page = (await source.events(shardOf(this.#row.shard), range)).map(readEvent)
      events.push(...page)
      if (page.length < REPAIR_PAGE) return events
      next = page.at(-1)!.id + 1
    }
  }

  /** Another node has other ids, unless it shows the same block. */
  async #checkAddress(): Promise<void> {
    const { source, kind } = this.#context
    const isOther = source.address !== this.#address
    if (isOther && (await source.info()).kind !== kind) {
      throw new Error(`${source.host} is another kind of hub`)
    }
    // Behind one address there may be many nodes.
    const isSame = this.#isSnapchain ? await this.#hasLastBlock() : !isOther
    if (!isSame) await this.#beginAgain('another node of the source answers')
    this.#address = source.address
    if (kind === 'rookery') await this.#notePath((await source.info()).path)
  }

  /** True, too, when nothing is known of the block: if it was pruned, a gap follows. */
  async #hasLastBlock(): Promise<boolean> {
    const { block_number, block_hash, shard } = this.#row
    if (block_hash.length === 0) return true
    const from = block_number * IDS_PER_BLOCK
    const found = await this.#context.source.events(shardOf(shard), {
      from,
      before: from + 1,
      limit: 1,
    })
    const what = found[0] && readEvent(found[0]).what
    return what?.kind !== 'block' || Buffer.compare(what.block.hash, block_hash) === 0
  }

  /** Hubble keeps events for three days and does not say what it has forgotten. */
  async #checkAge(): Promise<void> {
    const { kind, clock } = this.#context
    if (kind !== 'hubble' || this.#row.cursor >= firstEventIdAt(clock.now() - HUBBLE_KEPT_MS))
      return
    await this.#beginAgain('the source has forgotten events that were not read')
  }

  async #beginAgain(why: string): Promise<void> {
    const { source } = this.#context
    const { shard } = this.#row
    const { shards } = await source.info()
    const now = shards.find((one) => one.shard === shard) ?? { shard, height: 0 }
    const { cursor, block_number, block_hash } = await firstCursor(this.#context, now)
    this.#row = { ...this.#row, cursor, block_number, block_hash }
    await this.#everybodyIsDue(why)
  }

  /** What may be missing is found by comparing everybody. */
  async #everybodyIsDue(why: string): Promise<void> {
    const { metrics, log, clock } = this.#context
    const { shard } = this.#row
    log.warn({ shard, why }, 'mirror: everybody is compared again')
    metrics.gap(shard, 'pruned')
    this.#row = { ...this.#row, gaps_pruned: this.#row.gaps_pruned + 1 }
    await writeAsLeader(this.#context, async (tx) => {
      await tx.of(mirrorRows).setAllDue(clock.now())
      await tx.of(mirrorRows).putShards([this.#row])
    })
  }

  async #write(): Promise<void> {
    if (performance.now() - this.#lastWrite < IDLE_WRITE_MS) return
    this.#lastWrite = performance.now()
    await writeAsLeader(this.#context, (tx) => tx.of(mirrorRows).putShards([this.#row]))
  }
}

/** The stream is silent, or ends, although it never should. */
class SilenceError extends Error {}

/** A source with one stream for everything is not asked for a shard. */
const shardOf = (shard: number): number | undefined => (shard === 0 ? undefined : shard)

/** Events that have arrived and are not applied. */
class EventQueue {
  #events: SourceEvent[] = []
  #bytes = 0
  #failure: Error | undefined
  #wake: (() => void) | undefined

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  /** Returns whether no more should be sent for now. */
  push(bytes: Uint8Array): boolean {
    this.#events.push(readEvent(bytes))
    this.#bytes += bytes.length
    this.#wake?.()
    return this.#events.length >= 2 * BATCH_EVENTS || this.#bytes >= 2 * BATCH_BYTES
  }

  end(error: Error): void {
    this.#failure = error
    this.#wake?.()
  }

  /** Whether there is an event before this time is over. Throws when the stream has ended and all was taken. */
  async wait(ms: number): Promise<boolean> {
    if (this.isEmpty && !this.#failure) {
      const woken = Promise.withResolvers<void>()
      this.#wake = woken.resolve
      const timer = setTimeout(woken.resolve, ms)
      await woken.promise
      clearTimeout(timer)
      this.#wake = undefined
    }
    if (this.isEmpty && this.#failure) throw this.#failure
    if (!this.isEmpty && this.#events.length < BATCH_EVENTS) await delay(GATHER_MS)
    return !this.isEmpty
  }

  take(): SourceEvent[] {
    const events = this.#events.slice(0, BATCH_EVENTS)
    this.#events = this.#events.slice(BATCH_EVENTS)
    if (this.isEmpty) this.#bytes = 0
    return events
  }
}
