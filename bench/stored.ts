import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { viewsBuilt } from './app-aims.ts'
import type { NetworkSize } from './app-network.ts'
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

/** Stores so many messages of the hub's mix in an empty store, without their events. */
export const fillStored = (env: Env, messages: number): Promise<void> =>
  fill('hub-fill', env, { messages, users: ACCOUNTS })

/** Fills an empty store with a network, without events and views. */
export const fillApp = (env: Env, size: NetworkSize): Promise<void> => fill('app-fill', env, size)

async function fill(kind: 'hub-fill' | 'app-fill', env: Env, { messages, users }: NetworkSize) {
  const options = { ...env, ROOKERY_VIEWS: 'off', BENCH_MESSAGES: String(messages) }
  const server = await startServer(kind, users, options)
  server.stop()
  await server.ended
}

/** Measures the hub over a store that `fillStored` has filled. */
export async function benchStored(env: Env, { stored, submitted }: Sizes): Promise<Row[]> {
  // In another process than the measured one, whose cache must be empty.
  const casts = await withStore({ ...env, ROOKERY_VIEWS: 'off' }, ({ hubUrl }) =>
    allCasts(hubUrl, stored),
  )
  return withStore(env, async (server) => {
    if (process.env.ROOKERY_VIEWS !== 'off') await viewsBuilt(server)
    const hub = { ...server, url: server.hubUrl }
    const { rows } = await benchSubmits(hub, submitted, stored)
    return [...rows, ...(await benchReads(hub, casts))]
  })
}

/** Runs a server on the store as it is. */
export async function withStore<T>(env: Env, work: (server: Server) => Promise<T>): Promise<T> {
  const server = await startServer('app', 0, env)
  try {
    return await work(server)
  } finally {
    server.stop()
    await server.ended
  }
}

/** Every stored cast in random order, so that popular casts are spread over the store. */
async function allCasts(hubUrl: string, stored: number): Promise<Casts> {
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
