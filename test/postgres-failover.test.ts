// A primary is killed under load and its synchronous standby promoted, again and again.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { effort } from './effort.ts'
import { patient } from './patience.ts'
import { adminQuery } from './postgres.ts'
import { createPairTemplate } from './postgres-standby.ts'
import { randomFrom, runSeed } from './random.ts'
import { until } from './until.ts'
import { createWorld } from './world.ts'

const seed = runSeed()
console.log(`postgres-failover: TEST_SEED=${seed}`)

const ROUNDS = effort(1, 20)
const SUBMITTERS = 8
/** How long the primary runs under load before it is killed. */
const LONGEST_LIFE_MS = 1_500
/** Time in which writes have to be accepted again once the standby is promoted. */
const RECOVERY_MS = patient(10_000)

/** Writes of messages that are confirmed by the primary alone. */
const WAITING_FOR_STANDBY = `select 1 from pg_locks join pg_stat_activity using (pid)
  where relation = 'message'::regclass and mode = 'RowExclusiveLock' and wait_event = 'SyncRep'`
const MAX_TRIES = 20

let template: Awaited<ReturnType<typeof createPairTemplate>>
before(async () => {
  template = await createPairTemplate()
})
after(() => template?.remove())

test(`no acknowledged message and no event that was read is lost in ${ROUNDS} failovers to a synchronous standby`, async () => {
  const random = randomFrom(seed)
  let [acknowledged, read] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    const counts = await failOver(random.int(LONGEST_LIFE_MS))
    acknowledged += counts.acknowledged
    read += counts.read
  }
  console.log(`postgres-failover: ${acknowledged} acknowledged, ${read} events read, none lost`)
})

test('a write that the synchronous standby does not confirm is not acknowledged, and nobody reads it before', async () => {
  const pair = await template.startPair({ synchronousCommit: 'on' })
  let world: Awaited<ReturnType<typeof createWorld>> | undefined
  let receiver: number | undefined
  try {
    world = await createWorld({
      env: { DATABASE_URL: pair.primary.url, ROOKERY_DATABASE_TIMEOUT_SECONDS: '1' },
    })
    const author = await world.account(1)
    const [{ pid }] = await adminQuery(pair.standby.url, 'select pid from pg_stat_wal_receiver')
    receiver = Number(pid)
    let casts = 0
    const cast = () => world!.sign(author, castAdd(world!.origin(author), `hello ${++casts}`))
    let path: string | undefined
    // On a busy machine a write may already fail before it is up to the standby: it is never stored, and another is tried.
    for (let n = 0; path === undefined; n++) {
      assert.ok(n < MAX_TRIES, 'a write waits for the standby')
      const message = cast()
      const read = `/v1/castById?fid=1&hash=${toHex(message.hash)}`
      process.kill(receiver, 'SIGSTOP')
      assert.equal((await world.submit(message)).status, 503)
      const waiting = await adminQuery(pair.primary.url, WAITING_FOR_STANDBY)
      assert.equal((await world.get(read)).status, 404)
      process.kill(receiver, 'SIGCONT')
      if (waiting.length > 0) path = read
      else await until(async () => (await world!.submit(cast())).status === 200, 'writes go on')
    }
    for (const start = Date.now(); (await world.get(path)).status !== 200; await sleep(20)) {
      assert.ok(Date.now() - start < RECOVERY_MS, 'it is stored once the standby is back')
    }
  } finally {
    if (receiver !== undefined) process.kill(receiver, 'SIGCONT')
    await world?.close()
    await pair.stop()
  }
})

async function failOver(lifeMs: number): Promise<{ acknowledged: number; read: number }> {
  const pair = await template.startPair({ synchronousCommit: 'on' })
  const world = await createWorld({
    env: {
      // Both hosts: the one that accepts writes is the primary.
      DATABASE_URL: pair.primary.url.replace(/\/postgres$/, `,${new URL(pair.standby.url).host}$&`),
      DATABASE_READ_URL: pair.standby.url,
    },
  }).catch(async (error) => {
    await pair.stop()
    throw error
  })
  let isOver = false
  try {
    const authors = await world.accounts(Array.from({ length: SUBMITTERS }, (_, i) => i + 1))
    const acknowledged = new Map<string, number>()
    const submitters = authors.map(async (author) => {
      for (let n = 0; !isOver; n++) {
        const message = world.sign(author, castAdd(world.origin(author), `cast ${n}`))
        const { status } = await world.submit(message)
        if (status === 200) acknowledged.set(toHex(message.hash), author.fid)
        else await sleep(20)
      }
    })
    const seen: number[] = []
    const reader = (async () => {
      for (let from = 0; !isOver; ) {
        const { status, body } = await world.get(`/v1/events?from_event_id=${from}`)
        if (status !== 200 || body.events.length === 0) {
          await sleep(20)
          continue
        }
        seen.push(...body.events.map(({ id }: { id: number }) => id))
        from = body.nextPageEventId
      }
    })()
    const moreAcknowledged = async (what: string) => {
      const [count, start] = [acknowledged.size, Date.now()]
      while (acknowledged.size < count + SUBMITTERS) {
        assert.ok(Date.now() - start < RECOVERY_MS, `no writes ${what}`)
        await sleep(20)
      }
    }
    await moreAcknowledged('at the beginning')
    await sleep(lifeMs)
    await pair.primary.crash()
    await pair.promote()
    await moreAcknowledged('after the failover')
    isOver = true
    await Promise.all([...submitters, reader])

    for (const [hash, fid] of acknowledged) {
      const { status } = await world.get(`/v1/castById?fid=${fid}&hash=${hash}`)
      assert.equal(status, 200, `the cast ${hash} was acknowledged`)
    }
    const stored: number[] = []
    for (let from = 0; ; ) {
      const events = await world.app.storage.events.list(from, 1_000)
      if (events.length === 0) break
      stored.push(...events.map(({ id }) => id))
      from = stored.at(-1)! + 1
    }
    assert.ok(seen.length > SUBMITTERS, `${seen.length} events were read`)
    assert.deepEqual(seen, stored.slice(0, seen.length))
    return { acknowledged: acknowledged.size, read: seen.length }
  } finally {
    isOver = true
    await world.close()
    await pair.stop()
  }
}
