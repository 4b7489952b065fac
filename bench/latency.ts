import { get, load, post, type Request } from './client.ts'
import { makeMessages } from './messages.ts'
import { type Server, startServer } from './server-process.ts'

// What one client waits for who asks one thing at a time, over a network that is stored already. With networks of
// several sizes, and as many messages for each account in all of them, it tells how answers slow down as data grow.

const WARM = 50
const REQUESTS = 500
const EVENTS = 100
/** The ids of one minute of events. */
const MINUTE_OF_EVENT_IDS = 60 * 4_096_000
const PAGE = 25
/** How many accounts are asked for their casts. Some have none. */
const AUTHORS = 1_500
/** From one account to the next, which is far away; a prime. */
const STEP = 7_919
/** Accounts that submit. */
const SUBMITTERS = 500

type Env = Readonly<Record<string, string>>
type JsonCast = { readonly hash: string; readonly data: { readonly fid: number } }

/** Prints a line for each kind of request. The store of `env` holds a network of so many users. */
export async function benchLatency(env: Env, users: number): Promise<void> {
  let asked = 0
  // Another account each time: a second answer to the same request would be a kept one.
  const anybody = () => 1 + ((asked++ * STEP) % users)
  const found = await withServer(env, (server) => castsOf(server, anybody))
  // A server that was started anew has kept none of these answers.
  await withServer(env, (server) => measureAll(server, found, anybody))
}

async function withServer<T>(env: Env, work: (server: Server) => Promise<T>): Promise<T> {
  const server = await startServer('app', 0, { ...env, ROOKERY_VIEWS: 'off' })
  try {
    return await work({ ...server, url: server.hubUrl })
  } finally {
    server.stop()
    await server.ended
  }
}

/** Paths of one cast of each of many authors. */
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
): Promise<void> {
  console.log('| what | p50 ms | p99 ms |')
  console.log('| --- | --- | --- |')
  const times = (path: (n: number) => string) =>
    Array.from({ length: WARM + REQUESTS }, (_, n) => get(path(n)))
  const { bytes } = makeMessages(WARM + REQUESTS, SUBMITTERS, Date.now() % 1e9)
  await measureOne(
    server,
    'submit',
    bytes.map((one) => post('/v1/submitMessage', one)),
  )
  await measureOne(
    server,
    'castById',
    casts.map((path) => get(path)),
  )
  const page = () => `/v1/castsByFid?fid=${anybody()}&pageSize=${PAGE}`
  await measureOne(server, `page of ${PAGE} casts of a user`, times(page))
  const likes = () => `/v1/reactionsByFid?fid=${anybody()}&reaction_type=1&pageSize=${PAGE}`
  await measureOne(server, `page of ${PAGE} likes of a user`, times(likes))
  const followers = () => `/v1/linksByTargetFid?target_fid=${anybody()}&pageSize=${PAGE}`
  await measureOne(server, `page of ${PAGE} followers`, times(followers))
  const ids = await newestEventIds(server)
  // Another beginning each time, so that no answer is a kept one.
  const events = (n: number) =>
    `/v1/events?from_event_id=${ids[n % ids.length]! - Math.floor(n / ids.length)}&limit=${EVENTS}`
  await measureOne(server, `page of ${EVENTS} events`, times(events))
}

/** Ids of the events of what was submitted, with a whole page behind each. */
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

async function measureOne(server: Server, what: string, requests: readonly Request[]) {
  const warm = await load(server.url, requests.slice(0, WARM), 1)
  const { p50Ms, p99Ms, failures } = await load(server.url, requests.slice(WARM), 1)
  if (warm.failures + failures > 0) throw new Error(`${what}: ${failures} requests failed`)
  console.log(`| ${what} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} |`)
}
