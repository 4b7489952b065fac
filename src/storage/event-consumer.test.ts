// Durable consumers of the event log: positions that survive, batches that are handled in order.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConsumerOptions, createEventConsumer } from './event-consumer.ts'
import type { EventBatch } from './events.ts'
import type { Storage } from './storage.ts'
import type { Place } from './storage-suite.ts'
import { postgresPlace, sqlitePlace } from './test-support.ts'

const NEVER = new AbortController().signal
const idsOf = ({ events }: EventBatch) => events.map(({ id }) => id)

for (const [engine, createPlace] of [
  ['SQLite', sqlitePlace],
  ['PostgreSQL', () => postgresPlace('template1')],
] as const) {
  describe(`a consumer of events on ${engine}`, () => {
    let place: Place
    let storage: Storage
    let lastId = 0
    before(async () => {
      place = await createPlace()
      storage = await place.open()
    })
    after(async () => {
      await storage.close()
      await place.drop()
    })
    beforeEach(() => storage.reset())

    /** Commits events of 100 bytes. */
    async function commit(count: number): Promise<number[]> {
      return storage.write('hub', async (tx) => {
        lastId = Math.max(lastId, tx.newestId)
        const ids = Array.from({ length: count }, () => (lastId += 3))
        await tx.events.append(ids.map((id) => ({ id, type: 1, body: new Uint8Array(100) })))
        return ids
      })
    }

    const consumer = (
      handler: Pick<Extract<ConsumerOptions, { apply: unknown }>, 'apply'> | object,
      options: Partial<ConsumerOptions> = {},
    ) =>
      createEventConsumer({
        storage,
        name: 'test',
        begin: 'oldest',
        lock: 'platform',
        maxEvents: 10,
        maxBytes: 1e6,
        ...handler,
        ...options,
      } as ConsumerOptions)

    test('a consumer gets every event once and in order, in batches of bounded size', async () => {
      const ids = await commit(25)
      const batches: number[][] = []
      const apply = async (_tx: unknown, batch: EventBatch) => void batches.push(idsOf(batch))
      const one = consumer({ apply })
      assert.equal(await one.position(), undefined)
      await one.drain(NEVER)
      assert.deepEqual(batches.flat(), ids)
      assert.deepEqual(
        batches.map(({ length }) => length),
        [10, 10, 5],
      )
      assert.equal(await one.position(), ids.at(-1))
      const more = await commit(4)
      // Another object of the same name, as after a restart.
      await consumer({ apply }, { maxBytes: 600 }).drain(NEVER)
      assert.deepEqual(batches.slice(3).flat(), more)
      assert.ok(batches.slice(3).every(({ length }) => length <= 3))
    })

    test('a consumer that begins with the newest event gets only what is committed later', async () => {
      await commit(3)
      const seen: number[] = []
      const apply = async (_tx: unknown, batch: EventBatch) => void seen.push(...idsOf(batch))
      const one = consumer({ apply }, { begin: 'newest' })
      await one.drain(NEVER)
      const ids = await commit(2)
      await one.drain(NEVER)
      assert.deepEqual(seen, ids)
    })

    test('what a handler writes is stored together with the position, or neither is', async () => {
      const ids = await commit(30)
      let batches = 0
      const apply: Extract<ConsumerOptions, { apply: unknown }>['apply'] = async (tx, batch) => {
        const sum = Number((await tx.cursors.get('sum')) ?? 0)
        await tx.cursors.put('sum', String(sum + batch.events.length))
        if (++batches % 2 === 0) throw new Error('stopped in the middle')
      }
      const one = consumer({ apply })
      for (let attempts = 0; (await one.position()) !== ids.at(-1); attempts++) {
        await one.drain(NEVER).catch(() => {})
        assert.ok(attempts < 10)
      }
      assert.equal(await storage.cursors.get('sum'), '30')
      assert.ok(batches > 3)
    })

    test('two processes that run one consumer apply each event once', async () => {
      const ids = await commit(60)
      const seen: number[] = []
      const apply: Extract<ConsumerOptions, { apply: unknown }>['apply'] = async (tx, batch) => {
        for (const { id } of batch.events) await tx.cursors.put(`seen ${id}`, 'yes')
        seen.push(...idsOf(batch))
      }
      await Promise.all([consumer({ apply }).drain(NEVER), consumer({ apply }).drain(NEVER)])
      assert.deepEqual(seen, ids)
    })

    test('a batch that was delivered but not confirmed is delivered again', async () => {
      const ids = await commit(15)
      const seen: number[][] = []
      let failures = 2
      const deliver = async (batch: EventBatch) => {
        seen.push(idsOf(batch))
        if (failures-- > 0) throw new Error('not taken')
      }
      const one = consumer({ deliver })
      await assert.rejects(one.drain(NEVER), /not taken/)
      await assert.rejects(consumer({ deliver }).drain(NEVER), /not taken/)
      await one.drain(NEVER)
      assert.deepEqual(seen, [ids.slice(0, 10), ids.slice(0, 10), ids.slice(0, 10), ids.slice(10)])
    })

    test('a consumer that must not go on moves nothing', async () => {
      await commit(3)
      const check = async () => {
        throw new Error('not the leader any more')
      }
      const one = consumer({ apply: async () => {} }, { check })
      await assert.rejects(one.drain(NEVER), /not the leader/)
      assert.equal(await one.position(), undefined)
    })

    test('a batch says whether events before it were pruned unseen, and only then', async () => {
      const ids = await commit(12)
      const batches: EventBatch[] = []
      const apply = async (_tx: unknown, batch: EventBatch) => void batches.push(batch)
      const one = consumer({ apply })
      await one.drain(NEVER)
      const prune = (before: number) => storage.write('hub', (tx) => tx.events.prune(before, 1_000))
      await prune(ids.at(-1)! + 1)
      assert.equal(await storage.events.oldestId(), undefined)
      const next = await commit(6)
      await one.drain(NEVER)
      assert.deepEqual(
        batches.map(({ missed }) => missed),
        [false, false, false],
        'everything that was pruned had been handled',
      )
      await commit(3)
      await prune(lastId)
      await one.drain(NEVER)
      assert.deepEqual([batches.at(-1)!.missed, idsOf(batches.at(-1)!)], [true, [lastId]])
      assert.ok(next.length > 0)
      await consumer({ apply }, { name: 'late' }).drain(NEVER)
      assert.equal(batches.at(-1)!.missed, true)
    })

    test('a following consumer handles what is committed later and ends when it is aborted', async () => {
      const abort = new AbortController()
      const seen: number[] = []
      const apply = async (_tx: unknown, batch: EventBatch) => void seen.push(...idsOf(batch))
      const following = consumer({ apply }).follow(abort.signal)
      const ids: number[] = []
      for (let round = 0; round < 5; round++) {
        ids.push(...(await commit(4)))
        await sleep(1)
      }
      for (const end = Date.now() + 60_000; seen.length < ids.length; await sleep(2)) {
        assert.ok(Date.now() < end, 'all events are handled')
      }
      assert.deepEqual(seen, ids)
      abort.abort()
      await following
      await commit(1)
      assert.deepEqual(seen, ids)
    })
  })
}
