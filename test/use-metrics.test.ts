// What the metrics say about the use of a network, against what was done.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { castAdd, castRemove } from '../src/kernel/protocol/build.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { openPostgres } from '../src/kernel/storage/engines/postgres.ts'
import { createWorld, enginesOf } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  test(`the metrics count accounts, active fids and casts as they were made, on ${engine}`, async (t) => {
    const world = await createWorld({ engine })
    t.after(world.close)
    const submit = async (message: SignedMessage) => {
      const { status, body } = await world.submit(message)
      assert.equal(status, 200, JSON.stringify(body))
      return message
    }
    const read = async () => {
      // A count is kept for the longer, the longer counting took: for five minutes at most.
      world.clock.advance(5 * 60_000)
      const text = await (await fetch(`${world.app.urls.operations}/metrics`)).text()
      const lines = text.split('\n')
      return (name: string) => {
        const line = lines.find((one) => one.startsWith(`${name} `))
        assert.ok(line, `${name} is missing`)
        return Number(line.slice(name.length))
      }
    }
    const [ann, bob] = await world.accounts([1, 2, 3])
    const cast = (account: typeof ann, text: string) =>
      submit(world.sign(account!, castAdd(world.origin(account!), { text })))

    const first = await cast(ann, 'first')
    await cast(ann, 'second')
    world.clock.advance(2 * DAY_MS)
    await cast(bob, 'third')
    let of = await read()
    assert.equal(of('rookery_accounts'), 3)
    assert.equal(of('rookery_casts'), 3)
    assert.equal(of('rookery_active_fids{window="day"}'), 1)
    assert.equal(of('rookery_active_fids{window="week"}'), 2)
    for (const name of ['rookery_channels', 'rookery_key_requests{state="pending"}']) {
      assert.equal(of(name), 0)
    }
    assert.equal(of('rookery_webhooks{state="active"}'), 0)
    assert.equal(of('rookery_signups_total{outcome="succeeded"}'), 0)

    // The removal is activity too; a message that is dated earlier does not make its author less active.
    await submit(world.sign(ann!, castRemove(world.origin(ann!), first.hash)))
    world.clock.advance(-2 * DAY_MS)
    await cast(bob, 'dated earlier')
    world.clock.advance(2 * DAY_MS)
    of = await read()
    assert.equal(of('rookery_casts'), 3)
    assert.equal(of('rookery_active_fids{window="day"}'), 2)
    world.clock.advance(8 * DAY_MS)
    of = await read()
    assert.equal(of('rookery_active_fids{window="week"}'), 0)

    const { differences } = await verifyStore(world.app.storage, { network: 3 })
    assert.equal(differences, 0)

    const { databaseUrl } = world.app.config
    if (!databaseUrl) return
    // A process of an earlier version stores two casts and does not keep the count of casts or of activity.
    await cast(ann, 'by an earlier version')
    await cast(bob, 'by an earlier version')
    const database = openPostgres(databaseUrl)
    t.after(database.close)
    await database.transaction(async (sql) => {
      await sql.all("update row_total set value = value - 2 where name = 'cast'")
      await sql.all('delete from active_fid')
    })
    await world.app.jobs.run('correct kept counts')
    of = await read()
    assert.equal(of('rookery_casts'), 5)
    assert.equal(of('rookery_active_fids{window="week"}'), 2)
    assert.equal((await verifyStore(world.app.storage, { network: 3 })).differences, 0)
  })
}
