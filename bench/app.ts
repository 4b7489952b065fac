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

/** The screens of a client, one request each. */
const SCREENS: readonly (readonly [screen: string, path: string])[] = [
  ['home: 25 casts of 1,000 followed', '/feed/following?fid=1&viewer_fid=1&limit=25'],
  ['profile with 5 casts', '/feed/user/casts?fid=2&viewer_fid=1&limit=5'],
  [
    'channel, 25 casts',
    '/feed/channels?channel_ids=channel-0&members_only=false&viewer_fid=1&limit=25',
  ],
  ['thread', '/cast/conversation?identifier=HASH&type=hash&viewer_fid=1'],
  ['notifications', '/notifications?fid=1'],
  ['search of words', `/cast/search?q=${wordNumber(0)}+${wordNumber(1)}&viewer_fid=1`],
  ['trending', '/feed/trending?viewer_fid=1'],
  ['suggestions', '/following/suggested?fid=1&viewer_fid=1'],
  [
    '100 users',
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
    ([name, path]) => [name, PREFIX + path.replace('HASH', hash)] as const,
  )
  console.log('| screen | requests | bytes | gzip | p50 ms | p99 ms |')
  console.log('|---|---|---|---|---|---|')
  for (const [name, path] of screens) console.log(await screenLine(server, name, path))
  console.log()
  const rows: Row[] = []
  for (const [name, path] of screens) {
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

async function screenLine(server: Server, name: string, path: string): Promise<string> {
  const body = await bytesOf(server, path)
  const requests = Array.from({ length: REQUESTS / 4 }, () => get(path, KEY))
  const { p50Ms, p99Ms } = await load(server.url, requests, 1)
  const cells = [name, 1, body.length, gzipSync(body).length, p50Ms.toFixed(1), p99Ms.toFixed(1)]
  return `| ${cells.join(' | ')} |`
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
