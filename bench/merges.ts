import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { mergeOnChainEvents } from '../src/accounts/on-chain-events.ts'
import { EventLog } from '../src/storage/event-log.ts'
import { openStorage } from '../src/storage/storage.ts'
import { adminQuery, createDatabase } from '../test/postgres.ts'
import { accountEvents, benchAccount } from './accounts.ts'
import { startSlowLink } from './slow-link.ts'

// How many messages several processes merge in a second with one lock for all and with one for each shard: on this
// machine, where processors are the limit, and where each transaction waits: for a database that is some milliseconds
// away, and for a disk or a synchronous standby that takes some milliseconds to confirm a commit.

export type MergeOptions = {
  readonly processes: number
  /** Numbers of shards to compare. */
  readonly shards: readonly number[]
  readonly seconds: number
}

/** What the database is like. */
const PLACES = [
  { name: 'on this machine', tripMs: 0, commitMs: 0 },
  { name: 'a commit takes 5 ms', tripMs: 0, commitMs: 5 },
  { name: 'a commit takes 20 ms', tripMs: 0, commitMs: 20 },
  { name: '5 ms away', tripMs: 5, commitMs: 0 },
  { name: '20 ms away', tripMs: 20, commitMs: 0 },
] as const
type Place = (typeof PLACES)[number]

const FIDS = 2_000
const FIDS_AT_A_TIME = 250
export const NETWORK = 3

export type MergerArguments = {
  readonly url: string
  readonly shards: number
  readonly seconds: number
  readonly fids: readonly number[]
}
export type Merged = { readonly messages: number; readonly cpuSeconds: number }

/** Prints a line for each place and number of shards. */
export async function benchMerges(options: MergeOptions): Promise<void> {
  console.log(
    '| database | shards | merges a second | beside one shard | CPU us of the processes | load |',
  )
  console.log('| --- | --- | --- | --- | --- | --- |')
  for (const place of PLACES) {
    let first: number | undefined
    for (const shards of options.shards) {
      const { perSecond, cpuUs } = await mergesAt(place, shards, options)
      first ??= perSecond
      const ratio = (perSecond / first).toFixed(2)
      const load = loadavg()[0]!.toFixed(1)
      console.log(
        `| ${[place.name, shards, perSecond.toFixed(0), ratio, cpuUs.toFixed(0), load].join(' | ')} |`,
      )
    }
  }
}

async function mergesAt(
  { tripMs, commitMs }: Place,
  shards: number,
  { processes, seconds }: MergeOptions,
): Promise<{ perSecond: number; cpuUs: number }> {
  const database = await createDatabase()
  await importAccounts(database.url, shards)
  const { pathname } = new URL(database.url)
  await adminQuery(
    database.url,
    `alter database ${pathname.slice(1)} set commit_delay = ${commitMs * 1_000};
     alter database ${pathname.slice(1)} set commit_siblings = 0`,
  )
  const link = await startSlowLink(database.url, tripMs)
  const children: ChildProcess[] = []
  try {
    for (let i = 0; i < processes; i++) {
      const fids = Array.from({ length: FIDS }, (_, n) => n + 1).filter((n) => n % processes === i)
      const child = fork(new URL('./merges-process.ts', import.meta.url))
      child.send({ url: link.url, shards, seconds, fids } satisfies MergerArguments)
      children.push(child)
    }
    await Promise.all(children.map(answerOf))
    const answers = children.map(answerOf)
    for (const child of children) child.send('go')
    const merged = (await Promise.all(answers)) as Merged[]
    const messages = merged.reduce((sum, one) => sum + one.messages, 0)
    const cpuSeconds = merged.reduce((sum, one) => sum + one.cpuSeconds, 0)
    return { perSecond: messages / seconds, cpuUs: (cpuSeconds / messages) * 1e6 }
  } finally {
    for (const child of children) child.kill()
    await link.close()
    await database.drop()
  }
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('a process ended')
  })
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message
}

async function importAccounts(databaseUrl: string, shards: number): Promise<void> {
  const settings = { databaseUrl, dataDir: '', network: String(NETWORK), shards }
  const storage = await openStorage(settings)
  for (let fid = 1; fid <= FIDS; fid += FIDS_AT_A_TIME) {
    const accounts = Array.from({ length: FIDS_AT_A_TIME }, (_, i) => benchAccount(fid + i))
    await storage.write('hub', async (tx) => {
      const log = new EventLog(tx, Date.now())
      const events = accounts.flatMap(accountEvents)
      await mergeOnChainEvents(tx, log, events)
      await log.flush()
    })
  }
  await storage.close()
}
