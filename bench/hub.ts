import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { bytesField } from '../src/kernel/protocol/codec/wire-write.ts'
import { verifyEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { get, load, post, type Request } from './client.ts'
import { bareServer, READERS } from './floor.ts'
import { likedCast, likesOfAll, makeMessages } from './messages.ts'
import { randomNumbers, zipf } from './random.ts'
import { type Floor, measure, type Row } from './report.ts'
import { type Server, startServer } from './server-process.ts'

export const ACCOUNTS = 200
/** Messages made and submitted at a time, which the load generator holds in memory. */
const SLICE = 50_000
/** Connections that submit; more than readers, because writes wait for the disk. */
const SUBMITTERS = 256
const FEW_SUBMITTERS = 64
/** Messages submitted over few connections, and in bulk, after the others. */
const SUBMITTED_BY_FEW = 20_000
const BULK = 256
const BULK_REQUESTS = 100
const BULK_SUBMITTERS = 4
const SUBMITTED_LATER = SUBMITTED_BY_FEW + BULK * BULK_REQUESTS
/** Submits before the measurement, while V8 compiles. */
const WARM_UP_SUBMITS = 5_000

const PAGE = 100
/** Casts that everybody likes. */
const LIKED_CASTS = 20
const EVENTS = 1_000
/** The ids of one second of events. */
const EVENT_IDS_PER_SECOND = 4_096_000

type Cast = Pick<SignedMessage, 'fid' | 'hash'> & { readonly data: { readonly timestamp: number } }

/** Author, timestamp and hash of the stored casts. */
export class Casts {
  readonly #fids: Uint32Array
  readonly #timestamps: Uint32Array
  readonly #hashes: Buffer
  count = 0

  constructor(max: number) {
    this.#fids = new Uint32Array(max)
    this.#timestamps = new Uint32Array(max)
    this.#hashes = Buffer.alloc(20 * max)
  }

  add({ fid, data, hash }: Cast): void {
    this.#fids[this.count] = fid
    this.#timestamps[this.count] = data.timestamp
    this.#hashes.set(hash, 20 * this.count)
    this.count++
  }

  addAll(messages: readonly SignedMessage[]): void {
    for (const message of messages) {
      if (message.data.body.case === 'castAddBody') this.add(message)
    }
  }

  shuffle(random: () => number): void {
    for (let left = this.count; left > 1; left--) {
      this.#swap(Math.floor(random() * left), left - 1)
    }
  }

  #swap(a: number, b: number): void {
    for (const list of [this.#fids, this.#timestamps]) {
      ;[list[a], list[b]] = [list[b]!, list[a]!]
    }
    const hash = Buffer.from(this.#hash(a))
    this.#hash(a).set(this.#hash(b))
    this.#hash(b).set(hash)
  }

  path(n: number): string {
    return `/v1/castById?fid=${this.#fids[n]}&hash=${toHex(this.#hash(n))}`
  }

  id(n: number): { fid: bigint; hash: Uint8Array } {
    return { fid: BigInt(this.#fids[n]!), hash: this.#hash(n) }
  }

  /** The page of casts of this author from the second of this cast on. */
  pageFrom(n: number): string {
    return `/v1/castsByFid?fid=${this.#fids[n]}&pageSize=${PAGE}&startTimestamp=${this.#timestamps[n]}`
  }

  #hash(n: number): Buffer {
    return this.#hashes.subarray(20 * n, 20 * (n + 1))
  }
}

/** Raw verifications on one thread, the lower bound of a submit. */
export function ed25519Floor(): Floor {
  const message = makeMessages(1, 1).messages[0]!
  const runs = 10_000
  const started = process.cpuUsage()
  const startedMs = performance.now()
  for (let i = 0; i < runs; i++) verifyEd25519(message.signature, message.hash, message.signer)
  const perSecond = runs / ((performance.now() - startedMs) / 1000)
  const { user, system } = process.cpuUsage(started)
  return { name: 'raw Ed25519', perSecond, cpuUs: (user + system) / runs }
}

/** Submits `count` messages and `MORE_SUBMITS` others in several ways. Prints the disk use of the first ones. */
export async function benchSubmits(server: Server, count: number, first = 0) {
  const floor = ed25519Floor()
  const casts = new Casts(count)
  const rows: Row[] = []
  const warmUp = makeMessages(WARM_UP_SUBMITS, ACCOUNTS, first + count + SUBMITTED_LATER).bytes
  await load(server.url, submitsOf(warmUp), SUBMITTERS)
  const before = await server.usage()
  let rawBytes = 0
  for (let from = 0; from < count; from += SLICE) {
    const batch = makeMessages(Math.min(SLICE, count - from), ACCOUNTS, first + from)
    for (const bytes of batch.bytes) rawBytes += bytes.length
    casts.addAll(batch.messages)
    const name = `submits, ${SUBMITTERS} connections, from message ${from}`
    const row = await measure(name, server, submitsOf(batch.bytes), SUBMITTERS, floor)
    if (from === 0 || from + SLICE >= count) rows.push(row)
  }
  const after = await server.usage()
  const disk = (after.diskBytes - before.diskBytes) / count
  const raw = rawBytes / count
  const ratio = (disk / raw).toFixed(2)
  console.log(`disk: ${disk.toFixed(0)} bytes a message of ${raw.toFixed(0)} bytes, ratio ${ratio}`)

  rows.push(await bareSubmits(SUBMITTERS, floor), await bareSubmits(FEW_SUBMITTERS, floor))
  const few = makeMessages(SUBMITTED_BY_FEW, ACCOUNTS, first + count).bytes
  const name = `submits, ${FEW_SUBMITTERS} connections`
  rows.push(await measure(name, server, submitsOf(few), FEW_SUBMITTERS, floor))
  rows.push(await benchBulk(server, first + count + SUBMITTED_BY_FEW, floor))
  return { rows, casts }
}

/** Messages that `benchSubmits` submits besides `count`. */
export const MORE_SUBMITS = SUBMITTED_LATER + WARM_UP_SUBMITS

/** Submits the first `count` messages in bulk. */
export async function submitFirst(server: Server, count: number): Promise<Casts> {
  const casts = new Casts(count)
  for (let from = 0; from < count; from += SLICE) {
    const batch = makeMessages(Math.min(SLICE, count - from), ACCOUNTS, from)
    casts.addAll(batch.messages)
    const { failures } = await load(server.url, bulksOf(batch.bytes), BULK_SUBMITTERS)
    if (failures > 0) throw new Error(`${failures} of the bulk submits failed`)
  }
  casts.shuffle(randomNumbers(11))
  return casts
}

/** The bytes of the answer to a submit. */
const SUBMIT_ANSWER_BYTES = 800
const BARE_SUBMITS = 10_000

/** The lower bound of a submit over HTTP: see bare-submits.ts. */
async function bareSubmits(connections: number, floor: Floor): Promise<Row> {
  const server = await startServer('bare-submits', SUBMIT_ANSWER_BYTES, {})
  const requests = submitsOf(makeMessages(BARE_SUBMITS, ACCOUNTS).bytes)
  await load(server.url, requests.slice(0, BARE_SUBMITS / 2), connections)
  const name = `bare server that verifies, ${connections} connections`
  const row = await measure(name, server, requests, connections, floor)
  server.stop()
  return { ...row, profile: undefined }
}

async function benchBulk(server: Server, from: number, floor: Floor): Promise<Row> {
  const { bytes } = makeMessages(BULK * BULK_REQUESTS, ACCOUNTS, from)
  const name = `bulk submits of ${BULK}, ${BULK_SUBMITTERS} connections`
  return measure(name, server, bulksOf(bytes), BULK_SUBMITTERS, floor, BULK)
}

export const bulksOf = (messages: readonly Uint8Array[]): Request[] =>
  Array.from({ length: Math.ceil(messages.length / BULK) }, (_, n) => {
    const some = messages.slice(n * BULK, (n + 1) * BULK).map((one) => bytesField(1, one))
    return post('/v1/submitBulkMessages', Buffer.concat(some))
  })

export const submitsOf = (messages: readonly Uint8Array[]): Request[] =>
  messages.map((bytes) => post('/v1/submitMessage', bytes))

type Kind = { readonly name: string; readonly number: number; path(): string }

/** Reads stored messages: few of them often (hot) and all of them equally often (cold). */
export async function benchReads(server: Server, casts: Casts): Promise<Row[]> {
  const random = randomNumbers(7)
  const anyCast = () => Math.floor(random() * casts.count)
  const popularCast = zipf(casts.count, random)
  const popularFid = zipf(ACCOUNTS, random)
  const { oldest, newest } = await eventIds(server)
  const anyEvent = () => oldest + Math.floor(random() * Math.max(0, newest - oldest))
  const tip = await idOfLast(server, EVENTS, newest)
  const kinds: Kind[] = [
    { name: 'castById, hot (Zipf)', number: 20_000, path: () => casts.path(popularCast()) },
    { name: 'castById, cold (uniform)', number: 20_000, path: () => casts.path(anyCast()) },
    {
      name: `page of ${PAGE} casts, hot (Zipf)`,
      number: 4_000,
      path: () => `/v1/castsByFid?fid=${popularFid() + 1}&pageSize=${PAGE}`,
    },
    {
      name: `page of ${PAGE} casts, cold (uniform)`,
      number: 4_000,
      path: () => casts.pageFrom(anyCast()),
    },
    {
      name: `page of the last ${EVENTS} events`,
      number: 500,
      path: () => `/v1/events?from_event_id=${tip}`,
    },
    {
      name: `page of ${EVENTS} past events`,
      number: 500,
      path: () => `/v1/events?from_event_id=${anyEvent()}`,
    },
  ]
  const rows = []
  for (const kind of kinds) rows.push(await benchRead(server, kind))
  // Last, because its likes are new events.
  const { bytes } = likesOfAll(LIKED_CASTS, ACCOUNTS)
  await load(server.url, bulksOf(bytes), BULK_SUBMITTERS)
  const liked = Array.from({ length: LIKED_CASTS }, (_, n) => likedCast(n))
  const likes = () => {
    const { fid, hash } = liked[Math.floor(random() * LIKED_CASTS)]!
    return `/v1/reactionsByCast?target_fid=${fid}&target_hash=${toHex(hash)}&pageSize=${PAGE}`
  }
  const name = `page of ${PAGE} likes of ${LIKED_CASTS} casts`
  rows.push(await benchRead(server, { name, number: 4_000, path: likes }))
  return rows
}

async function benchRead(server: Server, { name, number, path }: Kind): Promise<Row> {
  const paths = Array.from({ length: number }, path)
  const requests = paths.map((one) => get(one))
  const floor = await bareServer(await averageLength(server, paths), number)
  const warmUp = Array.from({ length: number / 4 }, () => get(path()))
  await load(server.url, warmUp, READERS)
  return measure(name, server, requests, READERS, floor)
}

const SAMPLED_ANSWERS = 20

async function averageLength(server: Server, paths: readonly string[]): Promise<number> {
  const sampled = paths.slice(0, SAMPLED_ANSWERS)
  let bytes = 0
  for (const path of sampled) bytes += (await (await fetch(server.url + path)).bytes()).length
  return Math.round(bytes / sampled.length)
}

type EventsReply = { readonly nextPageEventId?: number; readonly events: { readonly id: number }[] }

async function eventsFrom(server: Server, from: string | number, limit: number) {
  const url = `${server.url}/v1/events?from_event_id=${from}&limit=${limit}`
  return (await (await fetch(url)).json()) as EventsReply
}

async function eventIds(server: Server): Promise<{ oldest: number; newest: number }> {
  const first = await eventsFrom(server, 0, 1)
  const { nextPageEventId } = await eventsFrom(server, 'latest', 1)
  const next = nextPageEventId ?? (await endOfLog(server))
  return { oldest: first.events[0]!.id, newest: next - 1 }
}

/** For servers of old checkouts, which do not have `latest`. */
async function endOfLog(server: Server): Promise<number> {
  for (let from = 0; ; ) {
    const { events, nextPageEventId } = await eventsFrom(server, from, EVENTS)
    if (events.length === 0) return from
    from = nextPageEventId!
  }
}

/** The id of the event with which a page of the last `count` events begins. */
async function idOfLast(server: Server, count: number, newest: number): Promise<number> {
  let from = newest - EVENT_IDS_PER_SECOND
  let ids: number[] = []
  for (;;) {
    const { events, nextPageEventId } = await eventsFrom(server, from, count)
    ids = [...ids, ...events.map(({ id }) => id)]
    if (events.length === 0) return ids.at(-count) ?? ids[0] ?? 0
    from = nextPageEventId!
  }
}
