// On a ledger nothing that people wrote is removed by count: storage grows up to the disk quota, and what is refused then.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { WEB_KEY } from '../src/kernel/app-api/given-keys.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { DAILY_MERGES_PER_UNIT } from '../src/kernel/hub/submit/quota.ts'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import { castAdd, castRemove, type DataInit, linkAdd } from '../src/kernel/protocol/build.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import { WARNED_SHARE } from '../src/kernel/storage/disk-use.ts'
import { accepted, eventsAfter, newestEventId, onEngines, pathOf, refused } from './hub-support.ts'
import { plainPng, uploadTo } from './media-support.ts'
import { DEVNET, type TestAccount, testAccount, type World } from './world.ts'

const BATCH = 250
const GREEN = [0, 128, 0, 255]
/** The cap of twenty units, and one more. */
const CASTS = 2_001

const castsOf = async (world: World, account: TestAccount, count: number, from = 0) => {
  const outcomes: (number | Rejection)[] = []
  for (let at = 0; at < count; at += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - at) }, (_, i) => {
      const number = from + at + i
      return world.sign(account, castAdd(world.origin(account, 1_000 + number), `word ${number}`))
    })
    outcomes.push(...(await submitMessages(world.app.hub, batch)))
  }
  return outcomes
}

/** Every page of the events after an id. */
async function everyEventAfter(world: World, id: number) {
  const events: Awaited<ReturnType<typeof eventsAfter>> = []
  for (let page = await eventsAfter(world, id); page.length > 0; ) {
    events.push(...page)
    page = await eventsAfter(world, page.at(-1)!.id)
  }
  return events
}

/** Units of each rent of a fid, in order. */
async function rentsOf(world: World, fid: number): Promise<number[]> {
  const path = pathOf('/v1/onChainEventsByFid', { fid, event_type: 4 })
  const { events } = accepted(await world.get(path))
  return events.map((event: { storageRentEventBody: { units: number } }) =>
    Number(event.storageRentEventBody.units),
  )
}

const submit = (world: World, account: TestAccount, init: DataInit) =>
  world.submit(world.sign(account, init))

type Limits = { units: number; limits: { name: string; used: number; limit: number }[] }
const limitsOf = async (world: World, fid: number) => {
  const body: Limits = accepted(await world.get(pathOf('/v1/storageLimitsByFid', { fid })))
  const { used, limit } = body.limits.find(({ name }) => name === 'CASTS')!
  return { units: body.units, used, limit }
}

/** Starts the server again with a quota of which so much is used. */
async function useShare(world: World, share: number): Promise<void> {
  const { usedBytes } = await world.app.storage.diskUse()
  await world.restart({ ROOKERY_DISK_QUOTA_GIB: (usedBytes / share / 1024 ** 3).toFixed(9) })
}

onEngines('storage that grows', (world) => {
  test('an account with one unit writes 2,001 casts, none is removed, and its limits say what it has', async () => {
    const account = await world().account(1, { units: 1 })
    assert.deepEqual(await limitsOf(world(), 1), { units: 1, used: 0, limit: 100 })
    const before = await newestEventId(world())
    const outcomes = await castsOf(world(), account, CASTS)
    assert.deepEqual(
      outcomes.filter((outcome) => outcome instanceof Rejection),
      [],
    )
    const { units, used, limit } = await limitsOf(world(), 1)
    assert.equal(used, CASTS)
    assert.ok(limit >= CASTS && limit === units * 100, `${units} units hold ${limit}`)
    const pruned = (await everyEventAfter(world(), before)).filter(
      ({ type }) => type !== 'MERGE_MESSAGE' && type !== 'MERGE_ON_CHAIN_EVENT',
    )
    assert.deepEqual(pruned, [])
    // The unit that was imported has an end, so the first growth renews it.
    const [imported, ...rents] = await rentsOf(world(), 1)
    assert.equal(imported, 1)
    assert.equal(
      rents.reduce((sum, one) => sum + one, 0),
      units,
    )
    assert.ok(rents.length < 20, `${rents.length} rents`)
    const report = await verifyStore(world().app.storage, { network: DEVNET })
    assert.deepEqual(report.examples, [])
  })

  test('growth does not raise what an account may write in a day', async () => {
    const account = testAccount(1)
    assert.ok((await limitsOf(world(), 1)).units > 20)
    const [row] = await world().app.storage.quotas.used('merges', ['1'])
    assert.equal(row?.count, CASTS)
    const used = { ...row!, count: 20 * DAILY_MERGES_PER_UNIT - 1 }
    await world().app.storage.write('hub', (tx) => tx.quotas.put([used]))
    accepted(await submit(world(), account, linkAdd(world().origin(account), 'follow', 1)))
    const [refusal] = await castsOf(world(), account, 1, CASTS)
    assert.ok(refusal instanceof Rejection)
    assert.equal(refusal.code, 'rate_limited')
  })

  test('an account without storage does not grow', async () => {
    const account = await world().account(3, { units: 0 })
    const [refusal] = await castsOf(world(), account, 1)
    assert.ok(refusal instanceof Rejection)
    assert.equal(refusal.code, 'bad_request.no_storage')
  })

  test('the disk quota first warns, then refuses uploads, and then messages, and removes nothing', async () => {
    const account = await world().account(4, { units: 1 })
    const [, kept] = await castsOf(world(), account, 100)
    assert.equal(typeof kept, 'number')
    const share = async () => (await world().operate('/server')).body.disk.share

    await useShare(world(), 0.82)
    assert.ok((await share()) > 0.8)
    const metrics = await (await fetch(`${world().app.urls.operations}/metrics`)).text()
    const [, ratio] = /^rookery_disk_quota_ratio (\S+)$/m.exec(metrics)!
    const alerts = readFileSync(new URL('../deploy/alerts.yml', import.meta.url), 'utf8')
    const [, threshold] = /max\(rookery_disk_quota_ratio\) > (\S+)/.exec(alerts)!
    assert.equal(Number(threshold), WARNED_SHARE)
    assert.ok(Number(ratio) > WARNED_SHARE && Number(ratio) < 0.9, `${ratio} is used`)
    assert.equal((await uploadTo(world(), account, plainPng(8, 8, GREEN))).status, 200)

    await useShare(world(), 0.93)
    const upload = await uploadTo(world(), account, plainPng(9, 9, GREEN))
    assert.equal(upload.status, 503)
    assert.match(JSON.stringify(upload.body), /disk quota of this server is nearly used up/)
    assert.equal(typeof (await castsOf(world(), account, 1, 100))[0], 'number')

    await useShare(world(), 1.02)
    const cast = world().sign(account, castAdd(world().origin(account), 'one too many'))
    const says = /disk quota of this server is used up/
    refused(await world().submit(cast), { status: 503, code: 'unavailable.storage_failure', says })
    const { used } = await limitsOf(world(), 4)
    assert.equal(used, 101)
    const { body } = await world().get(pathOf('/v1/castsByFid', { fid: 4, pageSize: 1 }))
    const hash = Buffer.from(body.messages[0].hash.slice(2), 'hex')
    accepted(await submit(world(), account, castRemove(world().origin(account), hash)))

    await world().restart({ ROOKERY_DISK_QUOTA_GIB: '' })
    accepted(await world().submit(cast))
  })
})

onEngines(
  'storage as deployed',
  (world) => {
    test('where storage does not grow, the oldest cast gives way to the one after the last unit', async () => {
      const account = await world().account(1, { units: 1 })
      await castsOf(world(), account, 101)
      assert.deepEqual(await limitsOf(world(), 1), { units: 1, used: 100, limit: 100 })
    })

    test('where storage does not grow, a member is told from 80 % on', async () => {
      const account = await world().account(2, { units: 1 })
      const notice = async () => {
        const url = `${world().app.urls.app}/v2/farcaster/screen/storage?fid=2`
        const answer = await fetch(url, { headers: { 'x-api-key': WEB_KEY } })
        assert.equal(answer.status, 200)
        return (await answer.json()) as { grows: boolean; filling: unknown[] }
      }
      await castsOf(world(), account, 79)
      const before = await notice()
      assert.deepEqual([before.grows, before.filling], [false, []])
      await castsOf(world(), account, 1, 79)
      assert.deepEqual((await notice()).filling, [{ kind: 'casts', used: 80, capacity: 100 }])
    })
  },
  () => ({ env: { ROOKERY_STORAGE_GROWS: 'off', ROOKERY_VIEWS: 'on' } }),
)
