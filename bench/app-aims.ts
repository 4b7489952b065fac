import { setTimeout } from 'node:timers/promises'
import {
  FOLLOWS_OF_READER,
  type NetworkSize,
  READER,
  THREAD_TEXT,
  wordNumber,
} from './app-network.ts'
import { get, load, post, type Request } from './client.ts'
import { submitsOf } from './hub.ts'
import { makeMessages } from './messages.ts'
import { randomNumbers } from './random.ts'
import { type Server, startServer } from './server-process.ts'

// The aims of the app API: what a large network costs to read, to index and to write.

const KEY = 'x-api-key: development'
const PREFIX = '/v2/farcaster'
const WARM = 20
const READS = 200
const SUBMITTERS = 64
const SUBMITS = 20_000
/** Accounts that submit. */
const ACCOUNTS = 500
const WRITES_PER_SECOND = 500
const WRITE_SECONDS = 10
const POLL_MS = 20
/** Time after which the jobs that run at the start have ended. */
const SETTLED_MS = 8_000

const THREAD = 'thread of 500 replies, 50 of them'
const WRITES = 'write answered and readable, 500/s'
const BURST = `lag under 1 s after a burst of ${SUBMITS}`
const INDEXER = 'indexer'
const PRICE = 'submits with views'

type Env = Readonly<Record<string, string>>

/** The lines to measure: those whose names contain one of these texts, or all of them. */
type Wanted = readonly string[] | undefined

const isWanted = (wanted: Wanted, name: string) =>
  wanted?.some((text) => name.includes(text)) ?? true

/** Prints a line for each aim. The store of `env` is filled, and its views are built if they are not. */
export async function benchAims(env: Env, size: NetworkSize, wanted: Wanted): Promise<void> {
  console.log('| what | aim | measured |')
  console.log('|---|---|---|')
  const server = await startServer('app', 0, env)
  try {
    await benchBuild(server, size.messages)
    await benchScreens(server, size, wanted)
    if (isWanted(wanted, WRITES)) await benchWrites(server)
    if (isWanted(wanted, BURST)) await benchBurst(server)
  } finally {
    server.stop()
    await server.ended
  }
  if (isWanted(wanted, INDEXER) || isWanted(wanted, PRICE)) await benchPriceOfViews(env)
}

function line(what: string, aim: string, measured: string): void {
  console.log(`| ${what} | ${aim} | ${measured} |`)
}

/** Resolves when the views have read their position. */
const viewsStarted = (server: Server) =>
  until(async () => (await metric(server, 'rookery_views_cursor')) > 0)

/** Resolves when the views are built and can be read. */
export async function viewsBuilt(server: Server): Promise<void> {
  await viewsStarted(server)
  await until(async () => (await metric(server, 'rookery_views_build_ratio')) === 1)
}

/** Resolves when the views have everything that was stored a second ago. */
export const viewsCaughtUp = (server: Server): Promise<void> =>
  until(async () => (await metric(server, 'rookery_views_lag_seconds')) < 1)

async function benchBuild(server: Server, messages: number): Promise<void> {
  await viewsStarted(server)
  const firstRatio = await metric(server, 'rookery_views_build_ratio')
  if (firstRatio === 1) return
  const started = performance.now()
  await viewsBuilt(server)
  const seconds = (performance.now() - started) / 1000
  const rate = (messages * (1 - firstRatio)) / seconds
  line('build of the views', '20,000 messages/s', `${rate.toFixed(0)}/s, ${seconds.toFixed(0)} s`)
}

/** Reads of a client, one at a time on one connection. */
async function benchScreens(server: Server, { users }: NetworkSize, wanted: Wanted): Promise<void> {
  const random = randomNumbers(5)
  const anybody = () => 1 + Math.floor(random() * users)
  const measured = async (what: string, aim: string, path: (n: number) => string) => {
    if (!isWanted(wanted, what)) return
    const requests = Array.from({ length: WARM + READS }, (_, n) => get(PREFIX + path(n), KEY))
    await load(server.url, requests.slice(0, WARM), 1)
    const { p50Ms, p99Ms, failures } = await load(server.url, requests.slice(WARM), 1)
    const failed = failures > 0 ? `, ${failures} failed` : ''
    line(what, aim, `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms${failed}`)
  }
  const feed = `/feed/following?fid=${READER}&viewer_fid=${READER}&limit=25`
  await measured(`following, 25 casts, ${FOLLOWS_OF_READER} follows`, 'p50 5, p99 25', () => feed)
  await measured('following of anybody', '', () => `/feed/following?fid=${anybody()}&limit=25`)
  const people = () => `/user/bulk?fids=${Array.from({ length: 100 }, anybody).join()}`
  await measured('100 users', '3', people)
  await measured('100 users with a viewer', '3', () => `${people()}&viewer_fid=${READER}`)
  const hash = isWanted(wanted, THREAD) ? await hashOfThread(server) : ''
  const thread = `/cast/conversation?identifier=${hash}&type=hash&viewer_fid=${READER}`
  await measured(THREAD, '15', () => `${thread}&limit=50`)
  const search = (words: string) => `/cast/search?q=${encodeURIComponent(words)}&limit=25`
  await measured('search: a frequent word', '20', (n) => search(wordNumber(n % 20)))
  await measured('search: a rare word', '20', (n) => search(wordNumber(5_000 + n * 50)))
  await measured('search: two frequent words', '20', (n) =>
    search(`${wordNumber(n % 20)} ${wordNumber((n + 3) % 20)}`),
  )
  await measured('search: a frequent and a rare word', '20', (n) =>
    search(`${wordNumber(n % 20)} ${wordNumber(3_000 + n)}`),
  )
  await measured('search: two rare words', '20', (n) =>
    search(`${wordNumber(1_000 + n)} ${wordNumber(3_000 + n)}`),
  )
  await measured('search: a phrase', '20', (n) =>
    search(`"${wordNumber(n % 20)} ${wordNumber((n + 1) % 20)}"`),
  )
  await measured('search: a prefix', '20', (n) => search(`${wordNumber(n * 7).slice(0, 4)}*`))
  await measured('search of users', '20', (n) => `/user/search?q=${wordNumber(n)}`)
  await measured('notifications of the most followed', '8', () => `/notifications?fid=${READER}`)
  await measured('notifications of anybody', '8', () => `/notifications?fid=${anybody()}`)
  await measured('casts of a user', '', () => `/feed/user/casts?fid=${anybody()}&limit=25`)
  await measured('channel', '', (n) => `/feed/channels?channel_ids=channel-${n % 10}&limit=25`)
  await measured('trending', '', () => '/feed/trending?limit=10')
  await measured('followers', '', () => `/followers?fid=${1 + (anybody() % 100)}&limit=100`)
  await measured('suggestions', '', () => `/following/suggested?fid=${anybody()}`)
}

async function hashOfThread(server: Server): Promise<string> {
  const path = `${PREFIX}/cast/search?q=${encodeURIComponent(`"${THREAD_TEXT}"`)}`
  const answer = await fetch(server.url + path, { headers: { 'x-api-key': 'development' } })
  const { result } = (await answer.json()) as { result: { casts: { hash: string }[] } }
  return result.casts[0]!.hash
}

/** Casts through the app API, which answers when the cast is readable. */
async function benchWrites(server: Server): Promise<void> {
  const { messages } = makeMessages(WRITES_PER_SECOND * (1 + WRITE_SECONDS), ACCOUNTS, offset())
  const requests = messages.map((message): Request => {
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
    const body = {
      hash: base64(message.hash),
      hashScheme: 'HASH_SCHEME_BLAKE3',
      signature: base64(message.signature),
      signatureScheme: 'SIGNATURE_SCHEME_ED25519',
      signer: base64(message.signer),
      dataBytes: base64(message.dataBytes),
    }
    const bytes = Buffer.from(JSON.stringify(body))
    return post(`${PREFIX}/message`, bytes, `application/json\r\n${KEY}`)
  })
  const pace = { perSecond: WRITES_PER_SECOND }
  // The first second of a new process compiles its code.
  await load(server.url, requests.splice(0, WRITES_PER_SECOND), 64, pace)
  const { p50Ms, p99Ms, failures, perSecond } = await load(server.url, requests, 64, pace)
  const failed = failures > 0 ? `, ${failures} failed` : ''
  const times = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`
  line(WRITES, 'p99 100', `${times} at ${perSecond.toFixed(0)}/s${failed}`)
}

/** How long the views stay behind after a burst. */
async function benchBurst(server: Server): Promise<void> {
  const before = await indexed(server)
  const { seconds } = await load(server.hubUrl, submits(SUBMITS), SUBMITTERS)
  const endedAt = performance.now()
  const sinceEnd = () => ((performance.now() - endedAt) / 1000).toFixed(1)
  await viewsCaughtUp(server)
  const lag = sinceEnd()
  await until(async () => (await indexed(server)).events - before.events >= SUBMITS)
  line(BURST, `within ${seconds.toFixed(1)} s`, `${lag} s, all indexed after ${sinceEnd()} s`)
}

/** Submits without views and with them, on the same store; the views index first what was submitted without them. */
async function benchPriceOfViews(env: Env): Promise<void> {
  const off = await submitRate(env, 'off')
  const on = await submitRate(env, 'on', INDEXER)
  const best = { off: Math.max(off, await submitRate(env, 'off')), on }
  best.on = Math.max(on, await submitRate(env, 'on'))
  const share = (100 * (1 - best.on / best.off)).toFixed(0)
  line(
    PRICE,
    'at most 15 % fewer',
    `${share} % fewer: ${best.on.toFixed(0)}/s instead of ${best.off.toFixed(0)}/s`,
  )
}

async function submitRate(env: Env, views: 'on' | 'off', indexer?: string): Promise<number> {
  const server = await startServer('app', 0, { ...env, ROOKERY_VIEWS: views })
  const settled = setTimeout(SETTLED_MS)
  try {
    if (views === 'on') {
      await until(async () => (await indexed(server)).events >= SUBMITS)
      const { events, seconds } = await indexed(server)
      const rate = (events / seconds).toFixed(0)
      if (indexer) line(indexer, '10,000 events/s (PostgreSQL 5,000)', `${rate}/s`)
    }
    await settled
    await load(server.hubUrl, submits(1_000), SUBMITTERS)
    return (await load(server.hubUrl, submits(SUBMITS), SUBMITTERS)).perSecond
  } finally {
    server.stop()
    await server.ended
  }
}

/** A store that is kept already has the messages of earlier runs. */
let submitted = Math.floor(Date.now() / 1_000) % 10_000_000
function offset(): number {
  submitted += SUBMITS * 2
  return submitted
}

const submits = (count: number): Request[] =>
  submitsOf(makeMessages(count, ACCOUNTS, offset()).bytes)

async function indexed(server: Server): Promise<{ events: number; seconds: number }> {
  return {
    events: await metric(server, 'rookery_views_events_total'),
    seconds: await metric(server, 'rookery_views_batch_seconds_sum'),
  }
}

async function metric(server: Server, name: string): Promise<number> {
  const text = await (await fetch(`${server.opsUrl}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(POLL_MS)
}
