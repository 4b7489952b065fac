// A fork of a Hubble and of a Snapchain: it has the same accounts as they, whatever they call things.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../src/config.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { HubSource, READS } from '../src/features/fork/source.ts'
import type { NameFeed } from '../src/kernel/hub/names.ts'
import {
  castAdd,
  castRemove,
  userDataAdd,
  verificationAddSol,
} from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { signEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { solanaClaim } from '../src/kernel/protocol/crypto/verification-claim.ts'
import { initsOf, parentCast } from './hub-lists.ts'
import { accepted } from './hub-support.ts'
import { OtherHubFront } from './other-hubs.ts'
import { createPlace } from './program.ts'
import { until } from './until.ts'
import { createWorld, DEVNET, type TestAccount, testAccount, WORLD_START_MS } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON as it comes
type Json = any

const ALICE = 2
const NAMES: NameFeed = {
  transfersAfter: async (id) =>
    id > 0
      ? []
      : [
          {
            ...{ id: 1, timestamp: WORLD_START_MS / 1_000, username: 'alice', from: 0, to: ALICE },
            owner: testAccount(ALICE).custody,
            serverSignature: new Uint8Array(65),
          },
        ],
}
/** What the fork serves of an account as its source does. */
const LISTS = [
  'onChainEventsByFid?event_type=EVENT_TYPE_ID_REGISTER&',
  'onChainEventsByFid?event_type=EVENT_TYPE_SIGNER&',
  'onChainEventsByFid?event_type=EVENT_TYPE_STORAGE_RENT&',
  'storageLimitsByFid?',
  'userNameProofsByFid?',
  'userDataByFid?',
  'verificationsByFid?',
  'linksByFid?',
  'castsByFid?',
  'reactionsByFid?',
]
const REPLIES = 30

for (const kind of ['hubble', 'snapchain'] as const) {
  test(`a fork of a ${kind} has its accounts, names, messages and threads, and somebody at once`, async (t) => {
    const source = await createWorld({ names: NAMES })
    t.after(() => source.close())
    const front = new OtherHubFront(kind, () => source.app.urls.hub)
    const of = await front.listen()
    t.after(() => front.close())
    const [alice, bob] = (await source.accounts([ALICE, 9])) as [TestAccount, TestAccount]
    const say = async (init: ReturnType<typeof castAdd>, by = alice) => {
      const message = source.sign(by, init)
      accepted(await source.submit(message))
      return message
    }
    // Some of them are the same message.
    for (const init of initsOf(alice, source)) await source.submit(source.sign(alice, init))
    const wallet = testAccount(70)
    const claim = { address: wallet.key, blockHash: new Uint8Array(32).fill(7) }
    const origin = source.origin(alice)
    const said = { fid: BigInt(ALICE), network: DEVNET }
    const claimSignature = signEd25519(solanaClaim(claim, said), wallet.seed)
    await say(verificationAddSol(origin, { ...claim, claimSignature }))
    const isNamed = async () =>
      (await source.get('/v1/userNameProofByName?name=alice')).status === 200
    await until(isNamed, 'the source has the name')
    await say(userDataAdd(origin, 6, 'alice'))
    const quoted = await say(castAdd(origin, 'to be quoted'))
    const embeds = [
      { embed: { case: 'url' as const, value: 'https://example.com' } },
      { embed: { case: 'castId' as const, value: { fid: 2n, hash: quoted.hash } } },
    ]
    await say(castAdd(origin, { text: 'with both', embeds }))
    const removed = await say(castAdd(origin, 'removed'))
    await say(castRemove(origin, removed.hash))
    const root = await say(castAdd(origin, 'a question'))
    for (let i = 0; i < REPLIES; i++) {
      const parent = parentCast({ fid: ALICE, hash: root.hash })
      await say(castAdd(source.origin(bob), { text: `answer ${i}`, parent }), bob)
    }

    const place = await createPlace('sqlite')
    t.after(() => place.remove())
    const refusals: unknown[] = []
    const fork = new HubSource(of, { warn: (...said: unknown[]) => void refusals.push(said) })
    const settings = { ROOKERY_VIEWS: 'on', ROOKERY_LOG_LEVEL: 'fatal' }
    const app = await startDevNetwork({
      config: readConfig({ ...place.env, ...settings }, 'development'),
      clock: source.clock,
      fork: { of, source: fork },
    })
    t.after(() => app.stop())
    const own = async (path: string): Promise<Json> =>
      (await fetch(`${app.urls.hub}/v1/${path}`)).json()

    // The feed of everybody has somebody, however long the first account takes.
    front.slowMs = 1_200
    const headers = { 'x-api-key': 'development' }
    const feed = await fetch(`${app.urls.app}/v2/farcaster/feed/newest`, { headers })
    assert.ok(((await feed.json()) as Json).casts.length > 0)
    front.slowMs = 0

    for (const list of LISTS) {
      const { body } = await source.get(`/v1/${list}fid=${ALICE}`)
      // Removed casts are counted there.
      const without = kind === 'snapchain' ? /^(?:used|dataBytes)$/ : /^used$/
      const kept = await own(`${list}fid=${ALICE}`)
      assert.deepEqual(leftOut(kept, without), leftOut(body, without), list)
    }
    assert.equal((await own('userNameProofByName?name=alice')).fid, ALICE)
    assert.equal((await own('userNameProofByName?name=nobody')).errCode, 'not_found')
    const missing = `0x${'ab'.repeat(20)}`
    assert.equal((await own(`castById?fid=${ALICE}&hash=${missing}`)).errCode, 'not_found')
    const before = front.requests.length
    const thread = `castsByParent?fid=${ALICE}&hash=${toHex(root.hash)}`
    assert.equal((await own(thread)).messages.length, REPLIES)
    const lists = front.requests.slice(before).filter(({ path }) => path === READS.replies)
    assert.equal(lists.length, 1 + REPLIES, 'one for each cast of the thread')
    const paths: ReadonlySet<string> = new Set(Object.values(READS))
    assert.ok(front.requests.every(({ method, path }) => method === 'GET' && paths.has(path)))
    assert.deepEqual(refusals, [])
  })
}

function leftOut(value: Json, names: RegExp): Json {
  if (Array.isArray(value)) return value.map((one) => leftOut(one, names))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => !names.test(name))
  return Object.fromEntries(entries.map(([name, one]) => [name, leftOut(one, names)]))
}
