// Reads from a standby that follows its primary late.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { effort } from './effort.ts'
import { adminQuery } from './postgres.ts'
import { onPair } from './standby-world.ts'
import { until } from './until.ts'

const WRITES = effort(10, 99)

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
