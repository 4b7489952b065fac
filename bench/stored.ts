import { fromHex } from '../src/protocol/codec/bytes.ts'
import { viewsBuilt } from './app-aims.ts'
import { ACCOUNTS, benchReads, benchSubmits, Casts } from './hub.ts'
import { randomNumbers } from './random.ts'
import type { Row } from './report.ts'
import { type Server, startServer } from './server-process.ts'

/** Casts in each answer when all of them are listed. */
const PAGE = 1_000

type Env = Readonly<Record<string, string>>
type Sizes = { readonly stored: number; readonly submitted: number }
type JsonCast = {
  readonly hash: string
  readonly data: { readonly timestamp: number }
}
type CastList = { readonly messages: readonly JsonCast[]; readonly nextPageToken: string }

/** Stores so many messages in an empty store, without their events. */
export async function fillStored(env: Env, stored: number): Promise<void> {
  const filling = { ...env, ROOKERY_VIEWS: 'off', BENCH_MESSAGES: String(stored) }
  await withServer('hub-fill', filling, async () => {})
}

/** Measures the hub over a store that `fillStored` has filled. */
export async function benchStored(env: Env, { stored, submitted }: Sizes): Promise<Row[]> {
  // The server that is measured has kept nothing of what is read here.
  const casts = await withServer('app', { ...env, ROOKERY_VIEWS: 'off' }, ({ hubUrl }) =>
    allCasts(hubUrl, stored),
  )
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

/** Every cast that is stored, in random order, so that popular ones lie anywhere. */
export async function allCasts(hubUrl: string, stored: number): Promise<Casts> {
  const casts = new Casts(stored)
  for (let fid = 1; fid <= ACCOUNTS; fid++) {
    let token = ''
    do {
      const query = `fid=${fid}&pageSize=${PAGE}&pageToken=${encodeURIComponent(token)}`
      const page = (await (await fetch(`${hubUrl}/v1/castsByFid?${query}`)).json()) as CastList
      for (const { hash, data } of page.messages) casts.add({ fid, data, hash: fromHex(hash)! })
      token = page.nextPageToken
    } while (token !== '')
  }
  casts.shuffle(randomNumbers(11))
  return casts
}
