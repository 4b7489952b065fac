import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeCursor } from '../src/kernel/http/input/paging.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { publicKeyOf } from '../src/kernel/protocol/crypto/ed25519.ts'
import { signedKeyRequestTypedData, signTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { adminQuery } from '../test/postgres.ts'
import { benchAccount } from './accounts.ts'
import { get, load } from './client.ts'
import { bareServer, READERS } from './floor.ts'
import { measure, type Row } from './report.ts'
import { type StartServer, startServer } from './server-process.ts'

export const CHANNELS = 10_000
const FOLLOWERS = 1_000_000
/** Many follows have the same second, which must not make a page slower. */
const FOLLOWS_A_SECOND = 1_000
const FIRST_FOLLOW = 1_700_000_000
const FOLLOWED = 'channel-0'
const PAGE = 100
/** With which each cursor of a list begins. */
const TAG_CHARACTERS = 6

/** Key requests that are polled concurrently. */
const WAITING = 100

/**
 * Measures the list of all channels, the pages of a channel with a million followers, and apps polling key
 * requests.
 */
export async function benchPlatform(
  env: Readonly<Record<string, string>>,
  start: StartServer = startServer,
): Promise<Row[]> {
  const server = await start('platform', CHANNELS, env)
  await fillFollowers(env)
  const { headers } = await fetch(`${server.url}/v2/all-channels`)
  const followers = `/v1/channel-followers?channelId=${FOLLOWED}&limit=${PAGE}`
  const first = (await (await fetch(server.url + followers)).json()) as { next: { cursor: string } }
  const lastPosition = encodeCursor([FIRST_FOLLOW, FOLLOWS_A_SECOND - 1 - PAGE])
  const lastOfAll = first.next.cursor.slice(0, TAG_CHARACTERS) + lastPosition
  const polled = (await askForKeys(server.url)).map(
    (token) => `/v2/signed-key-request?token=${token}`,
  )
  const reads: [name: string, requests: number, path: string | string[], head?: string][] = [
    [`all ${CHANNELS} channels`, 400, '/v2/all-channels'],
    ['the same, unchanged', 20_000, '/v2/all-channels', `if-none-match: ${headers.get('etag')}`],
    ['first 100 of a million followers', 10_000, followers],
    ['last 100 of a million followers', 10_000, `${followers}&cursor=${lastOfAll}`],
    ['polls of key requests', 20_000, polled],
  ]
  const rows = []
  for (const [name, number, path, head] of reads) {
    const paths = [path].flat()
    const answer = await fetch(server.url + paths[0], { headers: headersOf(head) })
    const { length } = await answer.bytes()
    const requests = Array.from({ length: number }, (_, n) => get(paths[n % paths.length]!, head))
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

/** The tokens of pending key requests. */
async function askForKeys(url: string): Promise<string[]> {
  const { fid: requestFid, seed } = benchAccount(1)
  const key = publicKeyOf(seed)
  const deadline = Math.floor(Date.now() / 1000) + 86_400
  const domain = accountDomains().signedKeyRequestValidator
  const typedData = signedKeyRequestTypedData({ requestFid, key, deadline }, domain)
  const signature = toHex(signTypedData(typedData, seed))
  const body = JSON.stringify({ key: toHex(key), requestFid, deadline, signature })
  const headers = { 'content-type': 'application/json' }
  const tokens: string[] = []
  while (tokens.length < WAITING) {
    const answer = await fetch(`${url}/v2/signed-key-requests`, { method: 'POST', headers, body })
    const { result } = (await answer.json()) as {
      result: { signedKeyRequest: { token: string } }
    }
    tokens.push(result.signedKeyRequest.token)
  }
  return tokens
}

/** Inserts by SQL, because a million calls would take longer than the measurement. */
async function fillFollowers(env: Readonly<Record<string, string>>): Promise<void> {
  const row = `'${FOLLOWED}', n, ${FIRST_FOLLOW} + n / ${FOLLOWS_A_SECOND}`
  const count = `update channel set follower_count = ${FOLLOWERS} where id = '${FOLLOWED}'`
  const url = env.DATABASE_URL
  if (url) {
    const numbers = `generate_series(1, ${FOLLOWERS}) as n`
    await adminQuery(url, `insert into channel_follow select ${row} from ${numbers}`)
    await adminQuery(url, count)
    // As autovacuum does after such a change.
    await adminQuery(url, 'vacuum analyze channel_follow')
    return
  }
  const database = new DatabaseSync(join(env.ROOKERY_DATA_DIR!, 'rookery.sqlite'), {
    timeout: 60_000,
  })
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${FOLLOWERS})`
  database.exec(`insert into channel_follow ${numbers} select ${row} from numbers; ${count}`)
  database.close()
}
