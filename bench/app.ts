import { gzipSync } from 'node:zlib'
import { viewsBuilt } from './app-aims.ts'
import { type NetworkSize, wordNumber } from './app-network.ts'
import { get, load } from './client.ts'
import { bareServer } from './floor.ts'
import { measure, type Row } from './report.ts'
import { type Server, startServer } from './server-process.ts'

const KEY = 'x-api-key: development'
type Env = Readonly<Record<string, string>>

const PREFIX = '/v2/farcaster'
const CONNECTIONS = 8
const REQUESTS = 400

/**
 * The screens of a client, one request each, and what they took on commit 2bdb5b8, before there was an app API:
 * requests, bytes and time, as far as they were measured, for a reader who followed 203 accounts.
 */
const SCREENS: readonly (readonly [screen: string, before: string, path: string])[] = [
  [
    'home: 25 casts of 1,000 followed',
    '283, 1.57 MB, 2.6 s',
    '/feed/following?fid=1&viewer_fid=1&limit=25',
  ],
  ['profile with 5 casts', '20, 468 kB', '/feed/user/casts?fid=2&viewer_fid=1&limit=5'],
  [
    'channel, 25 casts',
    '100',
    '/feed/channels?channel_ids=channel-0&members_only=false&viewer_fid=1&limit=25',
  ],
  ['thread', '10', '/cast/conversation?identifier=HASH&type=hash&viewer_fid=1'],
  ['notifications', '48', '/notifications?fid=1'],
  [
    'search of words',
    'impossible',
    `/cast/search?q=${wordNumber(0)}+${wordNumber(1)}&viewer_fid=1`,
  ],
  ['trending', 'impossible', '/feed/trending?viewer_fid=1'],
  ['suggestions', 'impossible', '/following/suggested?fid=1&viewer_fid=1'],
  [
    '100 users',
    '100 and more',
    `/user/bulk?viewer_fid=1&fids=${Array.from({ length: 100 }, (_, i) => i + 1).join()}`,
  ],
]

/** Fills an empty store with a network and builds its views. */
export async function fillApp(env: Env, size: NetworkSize): Promise<void> {
  const options = { ...env, ROOKERY_VIEWS: 'off', BENCH_MESSAGES: String(size.messages) }
  const filling = await startServer('app-fill', size.users, options)
  filling.stop()
  await filling.ended
}

/** Measures the app API: prints the screens of a client, and returns the same reads under load. */
export async function benchApp(env: Env): Promise<Row[]> {
  const server = await startServer('app', 0, env)
  await viewsBuilt(server)
  const hash = await hashOfThread(server)
  const screens = SCREENS.map(
    ([name, before, path]) => [name, before, PREFIX + path.replace('HASH', hash)] as const,
  )
  const heads = ['screen', 'before: requests, bytes, time', 'now: requests', 'bytes', 'gzip']
  console.log(`| ${[...heads, 'p50 ms', 'p99 ms'].join(' | ')} |`)
  console.log('|---|---|---|---|---|---|---|')
  for (const screen of screens) console.log(await screenLine(server, screen))
  console.log()
  const rows: Row[] = []
  for (const [name, , path] of screens) {
    const requests = Array.from({ length: REQUESTS }, () => get(path, KEY))
    const floor = await bareServer((await bytesOf(server, path)).length, REQUESTS * 5)
    rows.push(await measure(name, server, requests, CONNECTIONS, floor))
  }
  server.stop()
  return rows
}

async function bytesOf(server: Server, path: string): Promise<Uint8Array> {
  const headers = { 'x-api-key': 'development', 'accept-encoding': 'identity' }
  const answer = await fetch(server.url + path, { headers })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.bytes()
}

async function screenLine(
  server: Server,
  [name, before, path]: (typeof SCREENS)[number],
): Promise<string> {
  const body = await bytesOf(server, path)
  const requests = Array.from({ length: REQUESTS / 4 }, () => get(path, KEY))
  const { p50Ms, p99Ms } = await load(server.url, requests, 1)
  const sizes = [body.length, gzipSync(body).length]
  const times = [p50Ms, p99Ms].map((ms) => ms.toFixed(1))
  return `| ${[name, before, 1, ...sizes, ...times].join(' | ')} |`
}

/** A cast with replies: the first trending one, else the newest one of the reader's feed. */
async function hashOfThread(server: Server): Promise<string> {
  const path = `${PREFIX}/feed/following?fid=1&limit=25`
  const { casts } = JSON.parse(Buffer.from(await bytesOf(server, path)).toString())
  const best = casts.toSorted(
    (a: { replies: { count: number } }, b: { replies: { count: number } }) =>
      b.replies.count - a.replies.count,
  )
  return best[0].hash
}
