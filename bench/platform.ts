import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import postgres from 'postgres'
import { encodeCursor } from '../src/platform/params.ts'
import { get, load } from './client.ts'
import { bareServer, READERS } from './floor.ts'
import { measure, type Row } from './report.ts'
import { startServer } from './server-process.ts'

export const CHANNELS = 10_000
const FOLLOWERS = 1_000_000
/** Most of a list is followed in heaps: what goes on within a second has to be as cheap as elsewhere. */
const FOLLOWS_A_SECOND = 1_000
const FIRST_FOLLOW = 1_700_000_000
const FOLLOWED = 'channel-0'
const PAGE = 100

/** The list of all channels, and the pages of a channel that a million follow. */
export async function benchPlatform(env: Readonly<Record<string, string>>): Promise<Row[]> {
  const server = await startServer('platform', CHANNELS, env)
  await fillFollowers(env)
  const { headers } = await fetch(`${server.url}/v2/all-channels`)
  const lastOfAll = encodeCursor([FIRST_FOLLOW, FOLLOWS_A_SECOND - 1 - PAGE])
  const followers = `/v1/channel-followers?channelId=${FOLLOWED}&limit=${PAGE}`
  const reads: [name: string, requests: number, path: string, head?: string][] = [
    [`all ${CHANNELS} channels`, 400, '/v2/all-channels'],
    ['the same, unchanged', 20_000, '/v2/all-channels', `if-none-match: ${headers.get('etag')}`],
    ['first 100 of a million followers', 10_000, followers],
    ['last 100 of a million followers', 10_000, `${followers}&cursor=${lastOfAll}`],
  ]
  const rows = []
  for (const [name, number, path, head] of reads) {
    const answer = await fetch(server.url + path, { headers: headersOf(head) })
    const { length } = await answer.bytes()
    const requests = Array.from({ length: number }, () => get(path, head))
    const floor = await bareServer(length, number)
    await load(server.url, requests.slice(0, number / 4), READERS)
    rows.push(await measure(name, server, requests, READERS, floor))
  }
  server.stop()
  return rows
}

const headersOf = (head: string | undefined): Record<string, string> => {
  const [name, value] = head?.split(': ') ?? []
  return name && value ? { [name]: value } : {}
}

/** By SQL: a million calls would take longer than what they are for. */
async function fillFollowers(env: Readonly<Record<string, string>>): Promise<void> {
  const row = `'${FOLLOWED}', n, ${FIRST_FOLLOW} + n / ${FOLLOWS_A_SECOND}`
  const count = `update channel set follower_count = ${FOLLOWERS} where id = '${FOLLOWED}'`
  const url = env.DATABASE_URL
  if (url) {
    const client = postgres(url, { max: 1, onnotice: () => {} })
    const numbers = `generate_series(1, ${FOLLOWERS}) as n`
    await client.unsafe(`insert into channel_follow select ${row} from ${numbers}`)
    await client.unsafe(count)
    // What a server in use does of its own accord after such a change.
    await client.unsafe('vacuum analyze channel_follow')
    await client.end()
    return
  }
  const database = new DatabaseSync(join(env.ROOKERY_DATA_DIR!, 'rookery.sqlite'), {
    timeout: 60_000,
  })
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${FOLLOWERS})`
  database.exec(`insert into channel_follow ${numbers} select ${row} from numbers; ${count}`)
  database.close()
}
