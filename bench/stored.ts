import { fromHex } from '../src/protocol/bytes.ts'
import { networkTime } from '../src/protocol/time.ts'
import { viewsBuilt } from './app-aims.ts'
import { ACCOUNTS, benchReads, benchSubmits, Casts } from './hub.ts'
import { TIMESTAMPS } from './messages.ts'
import { randomNumbers } from './random.ts'
import type { Row } from './report.ts'
import { type Server, startServer } from './server-process.ts'

/** Casts that are known to the reads, of all that are stored. */
const SAMPLE = 100_000
const PAGE = 100

type Env = Readonly<Record<string, string>>
type Sizes = { readonly stored: number; readonly submitted: number }
type JsonCast = {
  readonly hash: string
  readonly data: { readonly fid: number; readonly timestamp: number }
}

/** Measures the hub over an empty store that is filled with so many messages first. */
export async function benchStored(env: Env, { stored, submitted }: Sizes): Promise<Row[]> {
  const filling = { ...env, ROOKERY_VIEWS: 'off', BENCH_MESSAGES: String(stored) }
  await withServer('hub-fill', filling, async () => {})
  // The server that is measured has kept nothing of what is read here.
  const casts = await withServer('app', { ...env, ROOKERY_VIEWS: 'off' }, sampleCasts)
  return withServer('app', env, async (server) => {
    if (process.env.ROOKERY_VIEWS !== 'off') await viewsBuilt(server)
    const hub = { ...server, url: server.hubUrl }
    const { rows } = await benchSubmits(hub, submitted, stored)
    return [...rows, ...(await benchReads(hub, casts))]
  })
}

async function withServer<T>(
  kind: 'hub-fill' | 'app',
  env: Env,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  const server = await startServer(kind, kind === 'app' ? 0 : ACCOUNTS, env)
  try {
    return await work(server)
  } finally {
    server.stop()
    await server.ended
  }
}

/** Pages of casts from anywhere in the store. */
async function sampleCasts({ hubUrl }: Server): Promise<Casts> {
  const random = randomNumbers(11)
  const casts = new Casts(SAMPLE)
  const now = networkTime(Date.now())
  for (let pages = 0; pages < SAMPLE / PAGE; pages++) {
    const fid = 1 + Math.floor(random() * ACCOUNTS)
    const timestamp = now - Math.floor(random() * TIMESTAMPS)
    const token = Buffer.alloc(24)
    token.writeUInt32BE(timestamp)
    const from = encodeURIComponent(token.toString('base64'))
    const url = `${hubUrl}/v1/castsByFid?fid=${fid}&pageSize=${PAGE}&pageToken=${from}`
    const { messages } = (await (await fetch(url)).json()) as { messages: JsonCast[] }
    for (const { hash, data } of messages) {
      casts.add({ fid: data.fid, data, hash: fromHex(hash)! })
    }
  }
  return casts
}
