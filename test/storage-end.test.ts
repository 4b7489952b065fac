// Whether storage ends, what is kept then and for how long, and who gives more of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { callJson, signRegister } from '../src/kernel/accounts/signatures/sign.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { castAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import { encodeList } from '../src/kernel/protocol/codec/envelope.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import {
  accepted,
  eventsAfter,
  hashesOf,
  newestEventId,
  onEngines,
  pathOf,
  post,
  refused,
} from './hub-support.ts'
import { ask, emptyStore, PRODUCTION_ENV, startServer } from './production.ts'
import { registryClient } from './registry-support.ts'
import { enginesOf, type TestAccount, WORLD_START_MS, type World } from './world.ts'

const YEAR_MS = 365 * DAY_MS
const NO_END = 2 ** 32 - 1

const cast = async (world: World, account: TestAccount, text: string) => {
  world.clock.advance(1_000)
  return world.submit(world.sign(account, castAdd(world.origin(account), text)))
}

const castsOf = (world: World, fid: number) => hashesOf(world, '/v1/castsByFid', { fid })

const rentsOf = async (world: World, fid: number): Promise<{ units: number; expiry: number }[]> => {
  const path = pathOf('/v1/onChainEventsByFid', { fid, event_type: 'EVENT_TYPE_STORAGE_RENT' })
  const { events } = accepted(await world.get(path))
  return events.map((event: Record<string, never>) => event.storageRentEventBody)
}

const unitsOf = async (world: World, fid: number): Promise<number> =>
  accepted(await world.get(pathOf('/v1/storageLimitsByFid', { fid }))).units

const expiringFids = async (world: World): Promise<number> => {
  const text = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
  return Number(/^rookery_storage_expiring_fids (\d+)$/m.exec(text)?.[1])
}

onEngines('storage that does not end', (world, engine) => {
  test('ten years later every cast, name and profile of an account of an earlier version is there', async () => {
    const registry = registryClient(world())
    // Its rent declares a year, as those of every earlier version.
    const ann = await registry.person(1)
    assert.equal((await registry.register(ann, 'ann')).status, 200)
    await world().app.jobs.run('follow names')
    accepted(await registry.setUsername(ann, 'ann'))
    const type = UserDataType.USER_DATA_TYPE_BIO
    const bio = userDataAdd(world().origin(ann.app), type, 'a rook')
    accepted(await world().submit(world().sign(ann.app, bio)))
    accepted(await cast(world(), ann.app, 'first'))
    const all = async () => ({
      casts: await castsOf(world(), 1),
      profile: await hashesOf(world(), '/v1/userDataByFid', { fid: 1 }),
      name: accepted(await world().get('/v1/userNameProofByName?name=ann')),
      units: await unitsOf(world(), 1),
    })
    const before = await all()
    assert.deepEqual([before.casts.length, before.profile.length, before.units], [1, 2, 10])
    world().clock.advance(10 * YEAR_MS)
    // Also before the leader has renewed it.
    accepted(await cast(world(), ann.app, 'at once'))
    await world().app.jobs.runAll()
    const after = await all()
    assert.deepEqual({ ...after, casts: after.casts.slice(0, 1) }, before)
    assert.equal(after.casts.length, 2)
    assert.deepEqual(
      (await rentsOf(world(), 1)).map(({ units, expiry }) => [units, expiry]),
      [
        [10, WORLD_START_MS / 1_000 + 365 * 86_400],
        [10, NO_END],
      ],
    )
    assert.equal(await expiringFids(world()), 0)
    assert.deepEqual((await verifyStore(world().app.storage, { network: 3 })).examples, [])
  })

  if (engine === 'postgres') {
    test('several processes renew an account once', async (t) => {
      await world().accounts([50, 51, 52])
      world().clock.advance(3 * YEAR_MS)
      const second = await startApp({
        config: readConfig(world().env, 'development'),
        clock: world().clock,
        logger: createLogger({ level: 'fatal' }),
      })
      t.after(second.stop)
      const renew = ({ jobs, ledger }: typeof second) => [
        jobs.run('renew storage'),
        // As a process that does not know yet that another one leads.
        ledger!.renewJob.run({ signal: t.signal, lease: undefined, repeatAfter: () => {} }),
      ]
      await Promise.all([...renew(world().app), ...renew(second)])
      for (const fid of [50, 51, 52]) assert.equal((await rentsOf(world(), fid)).length, 2)
    })
  }
})

const DAYS = 100

onEngines(
  'storage that the operator lets end',
  (world) => {
    const rent = async (fid: number, units: number) =>
      (await ask(`${world().app.urls.accounts}/v1/rent`, { fid, units })).body.events[0]

    test('a fid without storage left keeps its messages for 30 days, and can write none', async () => {
      const account = await world().account(1, { units: 0 })
      const { storageRentEventBody, blockTimestamp } = await rent(1, 1)
      const end = blockTimestamp + DAYS * 86_400
      assert.equal(storageRentEventBody.expiry, end)
      accepted(await cast(world(), account, 'first'))
      world().clock.set((end - 2) * 1_000)
      accepted(await cast(world(), account, 'last'))
      const stored = await castsOf(world(), 1)
      refused(await cast(world(), account, 'late'), { code: 'bad_request.no_storage' })
      assert.equal(await unitsOf(world(), 1), 0)

      const graceMs = (end + 30 * 86_400) * 1_000
      world().clock.set(graceMs - 1_000)
      await world().app.jobs.runAll()
      assert.deepEqual(await castsOf(world(), 1), stored)
      world().clock.set(graceMs)
      const before = await newestEventId(world())
      await Promise.all([world().app.jobs.runAll(), world().app.jobs.runAll()])
      const pruned = (await eventsAfter(world(), before)).filter(
        ({ pruneMessageBody }) => pruneMessageBody?.message.data.fid === 1,
      )
      assert.equal(pruned.length, 2)
      assert.deepEqual(await castsOf(world(), 1), [])
      refused(await cast(world(), account, 'much later'), { code: 'bad_request.no_storage' })
      await rent(1, 1)
      accepted(await cast(world(), account, 'again'))
    })

    test('a new message does not prune what units in their grace time hold', async () => {
      const account = await world().account(2, { units: 0 })
      const { storageRentEventBody } = await rent(2, 1)
      const { expiry: end } = storageRentEventBody
      world().clock.advance(10 * DAY_MS)
      await rent(2, 1)
      const casts = Array.from({ length: 150 }, (_, i) =>
        world().sign(account, castAdd(world().origin(account), `cast ${i}`)),
      )
      accepted(await post(world(), '/v1/submitBulkMessages', encodeList(casts)))
      world().clock.set((end + 1) * 1_000)
      assert.equal(await unitsOf(world(), 2), 1)
      accepted(await cast(world(), account, 'one more'))
      await world().app.jobs.runAll()
      assert.equal((await castsOf(world(), 2)).length, 151)
      // The second unit is there for ten more days of grace.
      world().clock.set((end + 30 * 86_400) * 1_000)
      await world().app.jobs.runAll()
      assert.equal((await castsOf(world(), 2)).length, 100)
    })

    test('the metric counts accounts whose storage ends within 30 days or is in its grace time', async () => {
      await world().account(3, { units: 0 })
      const { expiry } = (await rent(3, 1)).storageRentEventBody
      const countedAt = async (unixSeconds: number) => {
        world().clock.set(unixSeconds * 1_000)
        // The accounts of the other tests have storage.
        for (const fid of [1, 2]) await rent(fid, 1)
        await world().app.jobs.run('prune messages')
        return expiringFids(world())
      }
      assert.equal(await countedAt(expiry - 30 * 86_400 - 1), 0)
      assert.equal(await countedAt(expiry - 30 * 86_400), 1)
      assert.equal(await countedAt(expiry + 30 * 86_400 - 1), 1)
      assert.equal(await countedAt(expiry + 30 * 86_400), 0)
    })
  },
  () => ({ env: { ROOKERY_STORAGE_DAYS: String(DAYS), ROOKERY_STORAGE_GROWS: 'off' } }),
)

for (const engine of enginesOf(import.meta.url)) {
  test(`a production server gives storage only to its operator, and says so, on ${engine}`, async (t) => {
    const app = await startServer(t, await emptyStore(t, engine))
    const rent = (headers = {}) =>
      ask(`${app.urls.accounts}/v1/rent`, { fid: 1, units: 5 }, headers)
    const token = PRODUCTION_ENV.ROOKERY_OPS_TOKEN
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: token }]) {
      const { status, body } = await rent(headers)
      assert.deepEqual([status, body.code], [401, 'unauthenticated'])
      assert.match(body.message, /given by the operator .*ROOKERY_OPS_TOKEN/)
    }
    const register = async (extraStorage: number) => {
      const domains = accountDomains(app.signingNetwork)
      const deadline = BigInt(WORLD_START_MS / 1_000 + 3_600)
      const call = await signRegister(devAccount(40).custody, { deadline, domains, extraStorage })
      return ask(`${app.urls.accounts}/v1/registerFor`, callJson(call))
    }
    const more = await register(1)
    assert.deepEqual([more.body.code, more.body.field], ['ExceedsCapacity', 'extraStorage'])
    const { body } = await register(0)
    assert.equal(body.fid, 1)
    assert.equal(body.events[1].storageRentEventBody.expiry, NO_END)
    const { status } = await rent({ authorization: `Bearer ${token}` })
    assert.equal(status, 200)
    const account = await ask(`${app.urls.accounts}/v1/account?fid=1`)
    assert.equal(account.body.units.u2025, 25)
  })
}

test('a production server without an operator token refuses to give storage', async (t) => {
  const app = await startServer(t, { ...(await emptyStore(t)), ROOKERY_OPS_TOKEN: '' })
  for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer undefined' }]) {
    const { status } = await ask(`${app.urls.accounts}/v1/rent`, { fid: 1, units: 5 }, headers)
    assert.equal(status, 401)
  }
})
