// Reads from a standby that follows its primary late.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { castAdd } from '../src/protocol/build.ts'
import { toHex } from '../src/protocol/codec/bytes.ts'
import { effort } from './effort.ts'
import { adminQuery } from './postgres.ts'
import { createPairTemplate, type Pair, type PairOptions } from './postgres-standby.ts'
import { createWorld, type TestAccount, type World } from './world.ts'

const WAIT_MS = 60_000
const WRITES = effort(10, 99)

let template: Awaited<ReturnType<typeof createPairTemplate>>
before(async () => {
  template = await createPairTemplate()
})
after(() => template?.remove())

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const start = Date.now(); !(await condition()); await sleep(20)) {
    assert.ok(Date.now() - start < WAIT_MS, `waited in vain: ${what}`)
  }
}

/** A server that writes to the primary and reads from the standby, with one account. */
function onPair(options: PairOptions) {
  const place = {} as { pair: Pair; world: World; author: TestAccount }
  before(async () => {
    place.pair = await template.startPair(options)
    place.world = await createWorld({
      env: {
        DATABASE_URL: place.pair.primary.url,
        DATABASE_READ_URL: place.pair.standby.url,
        ROOKERY_DATABASE_MAX_LAG_SECONDS: '10',
      },
    })
    place.author = await place.world.account(1)
    await until(async () => {
      await place.world.get('/v1/castsByFid?fid=1')
      const [replica] = place.world.app.storage.replicas()
      return replica!.isUsed && replica!.lagSeconds !== undefined
    }, 'the standby has applied a transaction')
  })
  after(async () => {
    await place.world?.close()
    await place.pair?.stop()
  })
  let casts = 0
  return {
    place,
    /** Posts a cast and returns its hash. */
    async post(): Promise<string> {
      const { world, author } = place
      const message = world.sign(author, castAdd(world.origin(author), `cast ${++casts}`))
      const { status, body } = await world.submit(message)
      assert.equal(status, 200, JSON.stringify(body))
      return toHex(message.hash)
    },
    async find(hash: string): Promise<number> {
      return (await place.world.get(`/v1/castById?fid=1&hash=${hash}`)).status
    },
    async listed(): Promise<string[]> {
      const { status, body } = await place.world.get('/v1/castsByFid?fid=1&pageSize=1000')
      assert.equal(status, 200, JSON.stringify(body))
      return body.messages.map((message: { hash: string }) => message.hash)
    },
  }
}

describe('a standby whose applying commits wait for', () => {
  const { post, find, listed, place } = onPair({
    synchronousCommit: 'remote_apply',
    applyDelayMs: 300,
  })

  test(`a standby that commits wait for shows each of ${WRITES} writes to their author at once, by id and in lists`, async () => {
    for (let i = 0; i < WRITES; i++) {
      const hash = await post()
      assert.equal(await find(hash), 200)
      assert.ok((await listed()).includes(hash), `the list misses write ${i}`)
    }
    // All this was read from the standby.
    const [replica] = place.world.app.storage.replicas()
    assert.equal(replica?.isUsed, true)
    const { body } = await place.world.operate('/health/ready')
    assert.equal(body.details.replicas.hosts[0].isUsed, true)
  })
})

describe('a standby that is two seconds behind and that commits do not wait for', () => {
  const { post, find, listed, place } = onPair({ synchronousCommit: 'local', applyDelayMs: 2_000 })
  const replica = () => place.world.app.storage.replicas()[0]!

  test('a late standby misses a write in lists for a while, but never when it is asked for by id', async () => {
    let [writes, missed] = [0, 0]
    await until(async () => {
      const hash = await post()
      assert.equal(await find(hash), 200)
      if (!(await listed()).includes(hash)) missed++
      writes++
      return writes >= WRITES && missed > 0
    }, 'a list of the standby')
    const newest = await post()
    await until(async () => (await listed()).includes(newest), 'the standby follows')
  })

  test('a standby is left alone while it is away, and used again when it is back', async () => {
    await place.pair.standby.crash()
    for (let i = 0; i < 20; i++) {
      const hash = await post()
      assert.equal(await find(hash), 200)
      assert.ok((await listed()).includes(hash), 'the primary answers')
    }
    assert.equal(replica().isUsed, false)
    await place.pair.standby.start()
    await until(async () => {
      await listed()
      return replica().isUsed
    }, 'it is used again')
  })

  test('a standby is left alone while it is further behind than the setting allows', async () => {
    await adminQuery(place.pair.standby.url, 'select pg_wal_replay_pause()')
    await until(async () => {
      await listed()
      return !replica().isUsed
    }, 'it is too far behind')
    assert.match(replica().fault!, /ms behind/)
    const hash = await post()
    assert.ok((await listed()).includes(hash), 'the primary answers')
    await adminQuery(place.pair.standby.url, 'select pg_wal_replay_resume()')
    await until(async () => {
      await listed()
      return replica().isUsed
    }, 'it is used again')
  })
})
