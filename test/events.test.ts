// Events never lie: none is missed or told twice by a reader that goes on from the last id it saw, ids
// only grow, and the events alone rebuild the store.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import * as fc from 'fast-check'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import type { NameTransfer } from '../src/kernel/hub/names.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import {
  OnChainEventSchema,
  OnChainEventType,
  SignerEventType,
} from '../src/kernel/protocol/wire/onchain_event_pb.js'
import { EventLog } from '../src/kernel/storage/messages/event-log.ts'
import { effort } from './effort.ts'
import { checkIdsGrow, checkReplay, type FeedEvent, follow } from './feed.ts'
import { arbitraryDraft, Scene } from './message-sets.ts'
import { runSeed } from './random.ts'
import {
  createWorld,
  DEVNET,
  ENGINES,
  type TestAccount,
  WORLD_START_MS,
  type World,
} from './world.ts'

const seed = runSeed()
console.log(`events: TEST_SEED=${seed}`)

const SUBMITTERS = 64
const MESSAGES_EACH = effort(3, 20)
const READERS = 3
/** Between the pages of a reader that has read all there is. */
const READER_PAUSE_MS = 10
/** More than fit into one batch of anything. */
const IN_ONE_TRANSACTION = effort(10_000, 100_000)
/** More casts than one unit holds, so that some are pruned. */
const MANY_CASTS = 130
const EVERY_KIND = [
  'MERGE_MESSAGE',
  'MERGE_ON_CHAIN_EVENT',
  'MERGE_USERNAME_PROOF',
  'PRUNE_MESSAGE',
  'REVOKE_MESSAGE',
]

for (const engine of ENGINES) {
  describe(`events on ${engine}`, () => {
    test('readers miss and repeat no event with 64 submitters and a clock that steps back', async (t) => {
      const transfers: NameTransfer[] = []
      const world = await createWorld({
        engine,
        env: { ROOKERY_REVOKE_ON_KEY_REMOVAL: 'true', ROOKERY_STORAGE_GROWS: 'off' },
        names: { transfersAfter: async (id) => transfers.filter((one) => one.id > id) },
      })
      const accounts = await world.accounts(numbers(SUBMITTERS), { units: 1 })
      let busy = true
      t.after(() => {
        busy = false
        return world.close()
      })
      const readers = numbers(READERS).map(() =>
        follow(
          () => world.app.urls.hub,
          () => busy,
          READER_PAUSE_MS,
        ),
      )
      const accepted: string[] = []
      const work = accounts.map((account, i) =>
        submitAll(world, plan(accounts, account, i), accepted),
      )
      work.push(disturb(world, transfers))
      await Promise.all(work)
      await removeKey(world, accounts[1]!)
      busy = false
      const events = await Promise.all(readers)
      await checkReaders(world.app, events, accepted)
      const kinds = new Set(events[0]!.map(({ type }) => type.replace('HUB_EVENT_TYPE_', '')))
      assert.deepEqual([...kinds].sort(), EVERY_KIND)
      assert.ok(accepted.length > (SUBMITTERS * MESSAGES_EACH) / 3)
    })

    test('a reader continues through restarts with the clock set back each time', async (t) => {
      const world = await createWorld({ engine })
      const accounts = await world.accounts(numbers(8))
      let busy = true
      t.after(() => {
        busy = false
        return world.close()
      })
      const reading = follow(
        () => world.app.urls.hub,
        () => busy,
        READER_PAUSE_MS,
      )
      const accepted: string[] = []
      for (let round = 0; round < effort(2, 4); round++) {
        await Promise.all(
          accounts.map((account) =>
            submitAll(world, casts(world, account, 10, `round ${round}`), accepted),
          ),
        )
        await world.restart()
        world.clock.advance(-60_000)
      }
      busy = false
      await checkReaders(world.app, [await reading], accepted)
    })

    test(`pruning ${IN_ONE_TRANSACTION} messages in one transaction gives one event each, in order`, async () => {
      const count = IN_ONE_TRANSACTION
      const world = await createWorld({ engine, env: { ROOKERY_REVOKE_ON_KEY_REMOVAL: 'true' } })
      const account = await world.account(1)
      await insertMany(world, account, count)
      const before = await world.app.storage.events.newestId()
      await removeKey(world, account)
      assert.equal(await world.app.storage.messages.count(), 0)
      let revoked = 0
      for (let from = before + 1; ; ) {
        const events = await world.app.storage.events.list(from, 5_000)
        if (events.length === 0) break
        revoked += events.filter(({ type, message }) => type === 3 && message).length
        from = events.at(-1)!.id + 1
      }
      assert.equal(revoked, count)
      const after = await world.app.storage.events.list(before + 1, count + 2)
      assert.equal(after.length, count + 1)
      await world.close()
    })
  })
}

describe('events of two servers on one PostgreSQL', () => {
  test('two servers serve one feed of events, whatever their clocks say', async (t) => {
    const world = await createWorld({ engine: 'postgres' })
    const other = await startApp({
      config: readConfig(world.env, 'development'),
      clock: { now: () => WORLD_START_MS - 3_600_000 },
      logger: createLogger({ level: 'fatal' }),
    })
    const accounts = await world.accounts(numbers(SUBMITTERS))
    let busy = true
    t.after(async () => {
      busy = false
      await other.stop()
      await world.close()
    })
    let turn = 0
    const urls = [world.app.urls.hub, other.urls.hub]
    const readers = [
      follow(
        () => urls[0]!,
        () => busy,
        READER_PAUSE_MS,
      ),
      follow(
        () => urls[1]!,
        () => busy,
        READER_PAUSE_MS,
      ),
      follow(
        () => urls[turn++ % 2]!,
        () => busy,
        READER_PAUSE_MS,
      ),
    ]
    const accepted: string[] = []
    await Promise.all(
      accounts.map((account, i) =>
        submitAll(
          world,
          casts(world, account, MESSAGES_EACH, 'hello', -7_200),
          accepted,
          urls[i % 2],
        ),
      ),
    )
    busy = false
    await checkReaders(world.app, await Promise.all(readers), accepted)
  })
})

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

/** Many casts of the first, a mix of everything of the others. */
function plan(accounts: readonly TestAccount[], account: TestAccount, i: number): SignedMessage[] {
  const start = networkTime(WORLD_START_MS) - 1_000
  const scene = new Scene([account, ...accounts], start)
  if (i === 0) {
    return numbers(MANY_CASTS).map((text) =>
      scene.message({ kind: 'cast', author: 0, at: text, text, parent: 0, mentions: [] }),
    )
  }
  const drafts = fc.sample(arbitraryDraft, { numRuns: MESSAGES_EACH, seed: seed + i })
  return drafts
    .filter(({ kind }) => !['verify', 'unverify', 'prove'].includes(kind))
    .map((draft) => scene.message({ ...draft, author: 0 }))
}

function casts(
  world: World,
  account: TestAccount,
  count: number,
  text: string,
  offset = -600,
): SignedMessage[] {
  const at = networkTime(world.clock.now()) + offset
  return numbers(count).map((n) =>
    world.sign(account, castAdd(world.origin(account, at), `${text} ${n}`)),
  )
}

/** Submits one after the other; the hashes of what was accepted are noted. */
async function submitAll(
  world: World,
  messages: readonly SignedMessage[],
  accepted: string[],
  url = world.app.urls.hub,
): Promise<void> {
  for (const message of messages) {
    const response = await fetch(`${url}/v1/submitMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: encodeEnvelope(message) as Uint8Array<ArrayBuffer>,
    })
    const text = await response.text()
    assert.ok(response.status < 500, text)
    if (response.status === 200) accepted.push(toHex(message.hash))
  }
}

/** What else changes a hub meanwhile: accounts, names, time. */
async function disturb(world: World, transfers: NameTransfer[]): Promise<void> {
  for (let round = 0; round < effort(5, 20); round++) {
    world.clock.advance(round % 3 === 0 ? -90_000 : 40_000)
    transfers.push({
      id: round + 1,
      timestamp: WORLD_START_MS / 1000 + round,
      username: `name${round % 3}`,
      owner: Buffer.alloc(20, 1),
      from: 0,
      to: round + 1,
      serverSignature: Buffer.alloc(65, round),
    })
    await world.app.hub.catchUpNames()
    await world.account(1_000 + round)
  }
}

async function removeKey(world: World, account: TestAccount): Promise<void> {
  await world.app.ledger!.importEvents([
    create(OnChainEventSchema, {
      type: OnChainEventType.EVENT_TYPE_SIGNER,
      chainId: 10,
      blockNumber: 2,
      blockHash: Buffer.alloc(32, 1),
      blockTimestamp: BigInt(Math.floor(world.clock.now() / 1000)),
      transactionHash: Buffer.alloc(32, 2),
      logIndex: 0,
      fid: BigInt(account.fid),
      body: {
        case: 'signerEventBody',
        value: { key: account.key, keyType: 1, eventType: SignerEventType.REMOVE },
      },
    }),
  ])
}

/** Rows as a merge would write them, without the time that signing and merging take. */
async function insertMany(world: World, account: TestAccount, count: number): Promise<void> {
  const signature = Buffer.alloc(64, 1)
  for (let at = 0; at < count; at += 10_000) {
    await world.app.storage.write('hub', async (tx) => {
      const log = new EventLog(tx, world.clock.now())
      const rows = Array.from({ length: 10_000 }, (_, i) => {
        const hash = Buffer.alloc(20)
        hash.writeUInt32BE(at + i)
        const slot = Buffer.concat([Buffer.of(1, 0, 0, 0, account.fid), hash])
        const id = log.nextId()
        const row = { id, fid: account.fid, store: 1, type: 1, timestamp: 1, form: 1 }
        const bytes = { hash, slot, target: null, signer: account.key, signature, data: hash }
        return { ...row, ...bytes, mentions: [] }
      })
      await tx.messages.insert(rows)
      await tx.events.append(rows.map(({ id }) => ({ id, type: 1 })))
    })
  }
}

/** All readers saw the same, every accepted message once, and enough to rebuild the store. */
async function checkReaders(
  app: App,
  readers: readonly FeedEvent[][],
  accepted: readonly string[],
): Promise<void> {
  const whole = await follow(
    () => app.urls.hub,
    () => false,
  )
  const ids = whole.map(({ id }) => id)
  for (const events of readers) {
    checkIdsGrow(events)
    assert.deepEqual(
      events.map(({ id }) => id),
      ids,
    )
  }
  const merged = whole.flatMap((event) => event.mergeMessageBody?.message.hash ?? [])
  assert.deepEqual(merged.toSorted(), accepted.toSorted())
  await checkReplay(app.storage, whole)
  const report = await verifyStore(app.storage, { network: DEVNET })
  assert.deepEqual(report.examples, [])
}
