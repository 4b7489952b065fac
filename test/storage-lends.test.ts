// Storage units that fids lend each other: built by the published library, merged, counted, read and ended.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as core from '@farcaster/core'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { WEB_KEY } from '../src/kernel/app-api/given-keys.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { castAdd, lendStorage } from '../src/kernel/protocol/build.ts'
import { encodeEnvelope, encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { DAY_MS, networkTime } from '../src/kernel/protocol/time.ts'
import {
  accepted,
  eventsAfter,
  hashesOf,
  inWorld,
  newestEventId,
  onEngines,
  post,
  refused,
  removeKey,
} from './hub-support.ts'
import { CLIENT_VERSIONS, stockClient } from './stock-clients.ts'
import { accountEvents, type TestAccount, testAccount, type World } from './world.ts'

const INVALID = 'bad_request.validation_failure'
const { UNIT_TYPE_2025, UNIT_TYPE_2024 } = core.StorageUnitType

/** The same as makeLendStorage, which compares with its own clock, makes; a second after the last one. */
async function lend(
  world: World,
  { fid, seed }: TestAccount,
  toFid: number,
  numUnits: number,
  unitType = UNIT_TYPE_2025,
): Promise<Uint8Array> {
  world.clock.advance(1_000)
  const data = core.MessageData.create({
    type: core.MessageType.LEND_STORAGE,
    ...optionsOf(world, fid),
    lendStorageBody: { toFid, numUnits, unitType },
  })
  return encoded(await core.makeMessage(data, new core.NobleEd25519Signer(seed)))
}

const optionsOf = (world: World, fid: number) => ({
  fid,
  network: core.FarcasterNetwork.DEVNET,
  timestamp: networkTime(world.clock.now()),
})
const encoded = (message: core.HubResult<core.Message>): Uint8Array =>
  core.Message.encode(message._unsafeUnwrap()).finish()

/** Registered with a key and without storage. */
async function withoutStorage(world: World, fid: number): Promise<TestAccount> {
  const account = testAccount(fid)
  const events = accountEvents(account, Math.floor(world.clock.now() / 1_000), 1)
  await world.app.ledger!.importEvents(events.slice(0, 2))
  return account
}

const cast = (world: World, account: TestAccount, text = 'by borrowed storage') => {
  world.clock.advance(1_000)
  return world.submit(world.sign(account, castAdd(world.origin(account), { text })))
}

type Sizes = readonly [size: number, purchased: number, lent: number, borrowed: number]

/** The units of the newest type, and what the lends of the fid are limited by. */
async function storageOf(world: World, fid: number) {
  const body = accepted(await world.get(`/v1/storageLimitsByFid?fid=${fid}`))
  const details = body.unitDetails.find(
    (one: { unitType: string }) => one.unitType === 'UNIT_TYPE_2025',
  )
  const sizes: Sizes = [
    details.unitSize,
    details.purchasedUnitSize,
    details.lentUnitSize,
    details.borrowedUnitSize,
  ]
  const limit = (name: string) => body.limits.find((one: { name: string }) => one.name === name)
  const { limit: lends, used } = limit('STORAGE_LENDS')
  return { sizes, units: body.units, casts: limit('CASTS').limit, lends: [used, lends] }
}

async function verified(world: World): Promise<void> {
  const { kinds } = await verifyStore(world.app.storage, { network: undefined })
  assert.deepEqual(kinds, {})
}

/** Lent units limit what is kept where storage does not grow by itself. */
const OFF = { ROOKERY_STORAGE_GROWS: 'off' }

onEngines(
  'lent storage',
  (world, engine) => {
    test('units that the published library lends let a fid without storage post, and are read back as they were sent', async () => {
      const [lender, borrower] = [await world().account(11), await withoutStorage(world(), 12)]
      refused(await cast(world(), borrower), { code: 'bad_request.no_storage' })
      const body = { toFid: 12, numUnits: 3, unitType: UNIT_TYPE_2025 }
      const signer = new core.NobleEd25519Signer(lender.seed)
      const message = encoded(await core.makeLendStorage(body, optionsOf(world(), 11), signer))
      assert.equal(accepted(await world().validate(message)).valid, true)
      const stored = accepted(await world().submit(message))
      assert.deepEqual(stored.data.lendStorageBody, {
        toFid: 12,
        numUnits: 3,
        unitType: 'UNIT_TYPE_2025',
      })
      accepted(await cast(world(), borrower))
      assert.deepEqual(await storageOf(world(), 11), {
        sizes: [7, 10, 3, 0],
        units: 7,
        casts: 700,
        lends: [1, 10],
      })
      assert.deepEqual(await storageOf(world(), 12), {
        sizes: [3, 0, 0, 3],
        units: 3,
        casts: 300,
        lends: [0, 0],
      })
      for (const version of CLIENT_VERSIONS) {
        const client = stockClient(world(), version)
        if (version === '0.17.0') {
          const list = await client.getAllLendStorageMessagesByFid({ fid: 11 } as never)
          const [read] = list._unsafeUnwrap().messages
          assert.deepEqual(core.Message.encode(read!).finish(), message)
          const limits = (
            await client.getCurrentStorageLimitsByFid({ fid: 12 } as never)
          )._unsafeUnwrap()
          assert.deepEqual(limits.unitDetails[2], {
            unitType: UNIT_TYPE_2025,
            unitSize: 3,
            purchasedUnitSize: 0,
            lentUnitSize: 0,
            borrowedUnitSize: 3,
          })
          const lends = limits.limits.find(
            ({ storeType }) => storeType === core.StoreType.STORAGE_LENDS,
          )
          assert.deepEqual([lends?.limit, lends?.used], [0, 0])
        } else {
          const limits = await client.getCurrentStorageLimitsByFid({ fid: 12 } as never)
          assert.equal(
            limits._unsafeUnwrap().limits.find(({ storeType }) => storeType === 1)?.limit,
            300,
          )
        }
        client.close()
      }
      await verified(world())
    })

    test('a fid keeps one unit of the type, and can neither lend borrowed units nor those of another type', async () => {
      const [lender, other] = [await world().account(21), await world().account(22, { units: 1 })]
      const tooMany = { code: INVALID, says: /^insufficient storage$/ }
      refused(await world().submit(await lend(world(), lender, 22, 10)), tooMany)
      refused(await world().submit(await lend(world(), lender, 22, 1, UNIT_TYPE_2024)), tooMany)
      accepted(await world().submit(await lend(world(), lender, 22, 8)))
      refused(await world().submit(await lend(world(), other, 23, 1)), tooMany)
      refused(await world().submit(await lend(world(), lender, 23, 2)), tooMany)
      accepted(await world().submit(await lend(world(), lender, 23, 1)))
      refused(await world().submit(await lend(world(), lender, 24, 1)), tooMany)
      assert.deepEqual((await storageOf(world(), 22)).sizes, [9, 1, 0, 8])
      // Its present lend to the fid counts, as on deployed nodes: it is ended first.
      refused(await world().submit(await lend(world(), lender, 22, 8)), tooMany)
    })

    test('a lend of no units merges, ends the one before and is pruned at once', async () => {
      const [lender, borrower] = [await world().account(31), await withoutStorage(world(), 32)]
      const first = accepted(await world().submit(await lend(world(), lender, 32, 4)))
      const before = await newestEventId(world())
      const end = accepted(await world().submit(await lend(world(), lender, 32, 0)))
      const events = await eventsAfter(world(), before)
      assert.deepEqual(
        events.map((event) => event.type),
        ['MERGE_MESSAGE', 'PRUNE_MESSAGE'],
      )
      const [merge, prune] = events as [(typeof events)[0], (typeof events)[0]]
      assert.equal(merge!.mergeMessageBody.message.hash, end.hash)
      assert.equal(merge!.mergeMessageBody.deletedMessages[0].hash, first.hash)
      assert.equal(prune!.pruneMessageBody.message.hash, end.hash)
      assert.deepEqual((await storageOf(world(), 31)).sizes, [10, 10, 0, 0])
      refused(await cast(world(), borrower), { code: 'bad_request.no_storage' })
      await verified(world())
    })

    test('a lend that was ended is refused when somebody sends it again', async () => {
      const lender = await world().account(41)
      const message = await lend(world(), lender, 42, 4)
      accepted(await world().submit(message))
      accepted(await world().submit(await lend(world(), lender, 42, 0)))
      const conflict = { code: 'bad_request.conflict', says: /more recent lend/ }
      refused(await world().submit(message), conflict)
      await world().app.jobs.run('prune events')
      refused(await world().submit(message), conflict)
      const older = await lend(world(), lender, 43, 1)
      accepted(await world().submit(await lend(world(), lender, 43, 0)))
      refused(await world().submit(older), conflict)
      accepted(await world().submit(await lend(world(), lender, 42, 2)))
    })

    test('another lend to a fid takes the place of the one before', async () => {
      const lender = await world().account(51, { units: 100 })
      accepted(await world().submit(await lend(world(), lender, 52, 5)))
      accepted(await world().submit(await lend(world(), lender, 52, 7)))
      assert.deepEqual(await storageOf(world(), 51), {
        sizes: [93, 100, 7, 0],
        units: 93,
        casts: 9_300,
        lends: [1, 100],
      })
      assert.deepEqual((await storageOf(world(), 52)).sizes, [7, 0, 0, 7])
      await verified(world())
    })

    test('of two lends in one batch only as much is lent as there is, and a borrower posts in the batch that lends to it', async () => {
      const [lender, borrower] = [await world().account(61), await withoutStorage(world(), 62)]
      const at = () => world().origin(lender)
      const lends = [62, 63, 64].map((toFid) =>
        world().sign(lender, lendStorage(at(), { toFid, units: 4 })),
      )
      const text = world().sign(
        borrower,
        castAdd(world().origin(borrower), { text: 'in the batch' }),
      )
      const { messages } = accepted(
        await post(
          world(),
          '/v1/submitBulkMessages',
          encodeList([lends[0]!, text, lends[1]!, lends[2]!]),
        ),
      )
      assert.deepEqual(
        messages.map((one: { errCode?: string }) => one.errCode ?? 'merged'),
        ['merged', 'merged', 'merged', INVALID],
      )
      assert.deepEqual((await storageOf(world(), 61)).sizes, [2, 10, 8, 0])
      await verified(world())
    })

    test('what a lender ends is pruned after as long again as it was lent', async () => {
      const [lender, borrower] = [
        await world().account(71),
        await world().account(72, { units: 1 }),
      ]
      accepted(await world().submit(await lend(world(), lender, 72, 1)))
      const many = Array.from({ length: 150 }, (_, i) =>
        world().sign(borrower, castAdd(world().origin(borrower), { text: `cast ${i}` })),
      )
      accepted(await post(world(), '/v1/submitBulkMessages', encodeList(many)))
      world().clock.advance(2 * DAY_MS)
      accepted(await world().submit(await lend(world(), lender, 72, 0)))
      const count = async () => {
        await world().app.jobs.run('prune messages')
        return (await hashesOf(world(), '/v1/castsByFid', { fid: 72, pageSize: 1_000 })).length
      }
      world().clock.advance(2 * DAY_MS - 10_000)
      assert.equal(await count(), 150)
      world().clock.advance(20_000)
      assert.equal(await count(), 100)
      await world().app.jobs.run('prune events')
      assert.equal((await world().app.storage.storageLends.holdings([72])).lends.length, 0)
      await verified(world())
    })

    test('lends survive a restart and the removal of the key that signed them, and end when the messages of their fid are erased', async () => {
      const [lender, borrower] = [await world().account(81), await withoutStorage(world(), 82)]
      accepted(await world().submit(await lend(world(), lender, 82, 2)))
      await world().restart()
      await removeKey(world(), lender)
      assert.deepEqual((await storageOf(world(), 82)).sizes, [2, 0, 0, 2])
      accepted(await cast(world(), borrower))
      await verified(world())
      const erased = await world().operate('/moderation/accounts/81/erase', {
        method: 'POST',
        body: { reason: 'asked for', actor: 'test' },
      })
      assert.ok(erased.status < 300, JSON.stringify(erased.body))
      await world().app.jobs.run('moderation')
      assert.deepEqual((await storageOf(world(), 82)).sizes, [0, 0, 0, 0])
      await verified(world())
    })

    if (engine === 'postgres') {
      test('two processes together lend no more than there is', async () => {
        const lender = await world().account(91, { units: 20 })
        const second = await startApp({
          config: readConfig(world().env, 'development'),
          clock: world().clock,
          logger: createLogger({ level: 'fatal' }),
        })
        try {
          const lends = Array.from({ length: 30 }, (_, i) =>
            world().sign(lender, lendStorage(world().origin(lender), { toFid: 900 + i, units: 1 })),
          )
          const hubs = [world().app.urls.hub, second.urls.hub]
          const statuses = await Promise.all(
            lends.map(async (message, i) => {
              const url = `${hubs[i % 2]}/v1/submitMessage`
              const headers = { 'content-type': 'application/octet-stream' }
              const body = encodeEnvelope(message) as Uint8Array<ArrayBuffer>
              return (await fetch(url, { method: 'POST', headers, body })).status
            }),
          )
          assert.equal(statuses.filter((status) => status === 200).length, 19)
          assert.deepEqual((await storageOf(world(), 91)).sizes, [1, 20, 19, 0])
        } finally {
          await second.stop()
        }
        await verified(world())
      })
    }
  },
  () => ({ startMs: Date.now(), env: OFF }),
)

inWorld(
  'lent storage that ends',
  (world) => {
    test('what a fid lends ends with its units, and its messages are pruned after the grace time', async () => {
      const [lender, borrower] = [await world().account(11), await withoutStorage(world(), 12)]
      accepted(await world().submit(await lend(world(), lender, 12, 9)))
      accepted(await cast(world(), borrower))
      const notice = async (fid: number) => {
        const url = `${world().app.urls.app}/v2/farcaster/screen/storage?fid=${fid}`
        const answer = await fetch(url, { headers: { 'x-api-key': WEB_KEY } })
        assert.equal(answer.status, 200)
        return ((await answer.json()) as { notice: { has_ended: boolean } | null }).notice
      }
      assert.equal(await notice(12), null)
      world().clock.advance(340 * DAY_MS)
      assert.equal((await notice(12))?.has_ended, false)
      world().clock.advance(26 * DAY_MS)
      assert.equal((await notice(12))?.has_ended, true)
      assert.deepEqual((await storageOf(world(), 12)).sizes, [0, 0, 0, 0])
      refused(await cast(world(), borrower), { code: 'bad_request.no_storage' })
      await world().app.jobs.run('prune messages')
      assert.equal((await hashesOf(world(), '/v1/castsByFid', { fid: 12 })).length, 1)
      world().clock.advance(30 * DAY_MS)
      await world().app.jobs.run('prune messages')
      assert.equal((await hashesOf(world(), '/v1/castsByFid', { fid: 12 })).length, 0)
      assert.deepEqual((await storageOf(world(), 11)).lends, [0, 0])
      await verified(world())
    })
  },
  {
    startMs: Date.now(),
    env: { ...OFF, ROOKERY_STORAGE_DAYS: '365', ROOKERY_VIEWS: 'on' },
  },
)
