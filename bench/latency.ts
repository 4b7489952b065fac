import { get, load, type Request } from './client.ts'
import { submitsOf } from './hub.ts'
import { makeMessages } from './messages.ts'
import type { Server } from './server-process.ts'
import { withStore } from './stored.ts'

// Latency of one client with one request at a time over a stored network. Runs over networks of several sizes, with the
// same number of messages for each account, show how latency grows with the data.

const WARM = 50
const REQUESTS = 500
const EVENTS = 100
/** The ids of one minute of events. */
const MINUTE_OF_EVENT_IDS = 60 * 4_096_000
const PAGE = 25
/** Accounts whose casts are read. Some have none. */
const AUTHORS = 1_500
/** Distance between accounts that are read in turn; a prime. */
const STEP = 7_919
/** Accounts that submit. */
const SUBMITTERS = 500

type Env = Readonly<Record<string, string>>
type JsonCast = { readonly hash: string; readonly data: { readonly fid: number } }

export type Wait = { readonly name: string; readonly p50Ms: number; readonly p99Ms: number }

/** Prints and returns a line for each kind of request. The store of `env` holds a network of so many users. */
export async function benchLatency(env: Env, users: number): Promise<Wait[]> {
  let asked = 0
  // Another account each time: a second answer to the same request would come from a cache.
  const anybody = () => 1 + ((asked++ * STEP) % users)
  const found = await withServer(env, (server) => castsOf(server, anybody))
  // A new server with an empty cache.
  return withServer(env, (server) => measureAll(server, found, anybody))
}

const withServer = <T>(env: Env, work: (server: Server) => Promise<T>): Promise<T> =>
  withStore({ ...env, ROOKERY_VIEWS: 'off' }, (server) => work({ ...server, url: server.hubUrl }))

/** Paths of casts, one of each author. */
async function castsOf(server: Server, anybody: () => number): Promise<string[]> {
  const paths: string[] = []
  for (let n = 0; n < AUTHORS && paths.length < WARM + REQUESTS; n++) {
    const response = await fetch(`${server.url}/v1/castsByFid?fid=${anybody()}&pageSize=1`)
    const { messages } = (await response.json()) as { messages: JsonCast[] }
    for (const { hash, data } of messages) paths.push(`/v1/castById?fid=${data.fid}&hash=${hash}`)
  }
  return paths
}

async function measureAll(
  server: Server,
  casts: readonly string[],
  anybody: () => number,
): Promise<Wait[]> {
  const each = (path: (n: number) => string) =>
    Array.from({ length: WARM + REQUESTS }, (_, n) => get(path(n)))
  const { bytes } = makeMessages(WARM + REQUESTS, SUBMITTERS, Date.now() % 1e9)
  const kinds: Readonly<Record<string, () => readonly Request[] | Promise<readonly Request[]>>> = {
    submit: () => submitsOf(bytes),
    castById: () => casts.map((path) => get(path)),
    [`page of ${PAGE} casts of a user`]: () =>
      each(() => `/v1/castsByFid?fid=${anybody()}&pageSize=${PAGE}`),
    [`page of ${PAGE} likes of a user`]: () =>
      each(() => `/v1/reactionsByFid?fid=${anybody()}&reaction_type=1&pageSize=${PAGE}`),
    [`page of ${PAGE} followers`]: () =>
      each(() => `/v1/linksByTargetFid?target_fid=${anybody()}&pageSize=${PAGE}`),
    [`page of ${EVENTS} events`]: async () => {
      const ids = await newestEventIds(server)
      // Another beginning each time, so that no answer is a cached one.
      return each((n) => {
        const from = ids[n % ids.length]! - Math.floor(n / ids.length)
        return `/v1/events?from_event_id=${from}&limit=${EVENTS}`
      })
    },
  }
  console.log('| what | p50 ms | p99 ms |')
  console.log('| --- | --- | --- |')
  const waits: Wait[] = []
  for (const [name, requests] of Object.entries(kinds)) {
    waits.push(await measureOne(server, name, await requests()))
  }
  return waits
}

/** Ids of events of the submitted messages, each followed by at least a page of events. */
async function newestEventIds(server: Server): Promise<number[]> {
  type Page = { readonly nextPageEventId: number; readonly events: readonly { id: number }[] }
  const page = async (from: number | string): Promise<Page> =>
    (await fetch(`${server.url}/v1/events?from_event_id=${from}`)).json() as Promise<Page>
  let from = (await page('latest')).nextPageEventId - MINUTE_OF_EVENT_IDS
  const ids: number[] = []
  for (;;) {
    const { events, nextPageEventId } = await page(from)
    if (events.length === 0) return ids.slice(-REQUESTS, -EVENTS)
    ids.push(...events.map(({ id }) => id))
    from = nextPageEventId
  }
}

async function measureOne(
  server: Server,
  name: string,
  requests: readonly Request[],
): Promise<Wait> {
  const warm = await load(server.url, requests.slice(0, WARM), 1)
  const { p50Ms, p99Ms, failures } = await load(server.url, requests.slice(WARM), 1)
  if (warm.failures + failures > 0) throw new Error(`${name}: ${failures} requests failed`)
  console.log(`| ${name} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} |`)
  return { name, p50Ms, p99Ms }
}
