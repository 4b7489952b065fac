import { createDatabase } from '../test/postgres.ts'
import { get, load, type Request } from './client.ts'
import { ACCOUNTS, Casts, submitsOf } from './hub.ts'
import { makeMessages } from './messages.ts'
import { randomNumbers } from './random.ts'
import { type Server, startServer } from './server-process.ts'

const SUBMITTERS = 128
const READERS = 64
const READS = 8_000
const PAGES = 400
const EVENTS = 1_000

type Env = Readonly<Record<string, string>>

type ProcessesOptions = {
  readonly most: number
  readonly messages: number
}

/** One to `most` processes, each number on an empty database of one PostgreSQL. Prints a line for each. */
export async function benchProcesses(options: ProcessesOptions, env: Env): Promise<void> {
  console.log(`| processes | what | per second | p50 ms | p99 ms | CPU us of all processes |`)
  console.log(`| --- | --- | --- | --- | --- | --- |`)
  for (let number = 1; number <= options.most; number++) await benchNumber(number, options, env)
}

async function benchNumber(
  number: number,
  { messages: count }: ProcessesOptions,
  given: Env,
): Promise<void> {
  const database = await createDatabase()
  const env: Env = {
    ...given,
    DATABASE_URL: database.url,
  }
  const servers: Server[] = []
  try {
    // The first one makes the accounts.
    for (let i = 0; i < number; i++) {
      const accounts = i === 0 ? ACCOUNTS : 0
      servers.push(await startServer('rookery', accounts, env))
    }
    const random = randomNumbers(7)
    const { messages, bytes } = makeMessages(count, ACCOUNTS)
    const casts = new Casts(count)
    casts.addAll(messages)
    const setting = String(number)
    await measureAll(setting, 'submits', servers, submitsOf(bytes), SUBMITTERS)
    const anyCast = () => get(casts.path(Math.floor(random() * casts.count)))
    await measureAll(setting, 'castById', servers, Array.from({ length: READS }, anyCast), READERS)
    const page = get(`/v1/events?from_event_id=0&limit=${EVENTS}`)
    const pages = Array.from({ length: PAGES }, () => page)
    await measureAll(setting, `page of ${EVENTS} events`, servers, pages, READERS)
  } finally {
    for (const server of servers) server.stop()
  }
  await database.drop().catch(() => {})
}

/**
 * Spreads requests evenly over the processes. The first half is a warm-up.
 */
async function measureAll(
  setting: string,
  what: string,
  servers: readonly Server[],
  all: readonly Request[],
  connections: number,
): Promise<void> {
  const send = (requests: readonly Request[]) =>
    Promise.all(
      servers.map(({ url }, i) => {
        const own = requests.filter((_, n) => n % servers.length === i)
        return load(url, own, Math.ceil(connections / servers.length))
      }),
    )
  await send(all.slice(0, all.length >> 1))
  const requests = all.slice(all.length >> 1)
  const cpuOf = async () =>
    (await Promise.all(servers.map((server) => server.usage()))).reduce(
      (sum, { cpuSeconds }) => sum + cpuSeconds,
      0,
    )
  const before = await cpuOf()
  const started = performance.now()
  const results = await send(requests)
  const seconds = (performance.now() - started) / 1_000
  const cpuUs = (((await cpuOf()) - before) / requests.length) * 1e6
  const failures = results.reduce((sum, result) => sum + result.failures, 0)
  if (failures > 0) throw new Error(`${what}: ${failures} requests failed`)
  const worst = (value: 'p50Ms' | 'p99Ms') =>
    Math.max(...results.map((result) => result[value])).toFixed(1)
  const perSecond = Math.round(requests.length / seconds)
  console.log(
    `| ${[setting, what, perSecond, worst('p50Ms'), worst('p99Ms'), Math.round(cpuUs)].join(' | ')} |`,
  )
}
