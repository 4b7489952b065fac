import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { effort } from '../../test/effort.ts'
import { nextEventIdOf } from '../protocol/event-id.ts'
import { MAX_SHARDS, shardOfFid, shardOfId } from '../protocol/shards.ts'
import { EventLog } from './event-log.ts'
import { openPostgres } from './postgres.ts'
import { openStorage, type Storage, WrongShardsError } from './storage.ts'
import { NETWORK, postgresPlace } from './test-support.ts'

const SHARDS = 4

describe('shards', () => {
  let place: Awaited<ReturnType<typeof postgresPlace>>
  let stores: Storage[]
  before(async () => {
    place = await postgresPlace('template0', SHARDS)
    // One store for each of two processes.
    stores = [await place.open(), await place.open()]
  })
  after(async () => {
    for (const store of stores) await store.close()
    await place.drop()
  })

  const fidOf = (shard: number): number => {
    for (let fid = 1; ; fid++) if (shardOfFid(fid, SHARDS) === shard) return fid
  }

  test('a fid has the shard that the deployed network gives it', () => {
    const bytes = Buffer.alloc(4)
    // Some are kept in the same place, and some are asked for again.
    for (const fid of [1, 2, 3, 99, 1 + 2 ** 14, 2 ** 31, 2 ** 32 - 1, 1, 1]) {
      bytes.writeUInt32BE(fid)
      const first = createHash('sha256').update(bytes).digest().readUInt32BE()
      for (const shards of [2, 4, MAX_SHARDS]) {
        assert.equal(shardOfFid(fid, shards), (first % shards) + 1)
      }
      assert.equal(shardOfFid(fid, 1), 1)
    }
  })

  test('the id of an event tells its shard, is above the last one, and is the first such id', () => {
    for (const last of [0, 1, 62, 63, 64, 65, 4096 * 1_000 + 17]) {
      for (let shard = 1; shard <= MAX_SHARDS; shard++) {
        const id = nextEventIdOf(shard, last, 0)
        assert.equal(shardOfId(id, MAX_SHARDS), shard)
        assert.ok(id > last && id <= last + 64)
      }
    }
  })

  test('data are refused to a program with another number of shards, and both numbers are named', async () => {
    for (const shards of [1, 2]) {
      await assert.rejects(
        openStorage({ databaseUrl: place.url, dataDir: '', network: NETWORK, shards }),
        (error: Error) => {
          assert.ok(error instanceof WrongShardsError)
          assert.match(error.message, new RegExp(`has 4 shards, but the settings say ${shards}`))
          return true
        },
      )
    }
  })

  test('transactions of two shards overlap, those of one shard and of the whole hub do not', async () => {
    const [store] = stores
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const first = store!.write('hub/1', async () => {
      begun.resolve()
      await held.promise
    })
    await begun.promise
    await store!.write('hub/2', async () => {})
    const order: string[] = []
    const same = stores[1]!.write('hub/1', async () => void order.push('same'))
    const whole = stores[1]!.write('hub', async () => void order.push('whole'))
    await sleep(50)
    assert.deepEqual(order, [])
    held.resolve()
    await Promise.all([first, same, whole])
    assert.equal(order.length, 2)
  })

  test('a reader that continues after the last event it saw misses none of any shard', async (t) => {
    const [store] = stores
    const sql = openPostgres(place.url)
    t.after(() => sql.close())
    const locks = () => sql.all('select name, ctid, value from lock order by name')
    const locksBefore = await locks()
    const start = await store!.events.newestId()
    const perShard = effort(60, 2_000)
    const written: number[] = []
    const writer = async (shard: number) => {
      for (let n = 0; n < perShard; n++) {
        const ids: number[] = []
        const lock = n % 10 === 9 ? 'hub' : (`hub/${shard}` as const)
        await stores[n % 2]!.write(lock, async (tx) => {
          ids.length = 0
          // Shards take different times between giving ids and committing them, and some give up.
          const log = new EventLog(tx, Date.now() - shard * 1_000)
          for (let i = 0; i <= shard; i++) {
            ids.push(log.nextId(fidOf(shard)))
            log.append({ id: ids.at(-1)!, type: 1 })
          }
          await log.flush()
          if ((n + shard) % 3 === 0) await sleep((n * 7 + shard) % 12)
          if (n % 15 === 14) throw new Error('given up')
        }).then(
          () => written.push(...ids),
          (error: Error) => assert.equal(error.message, 'given up'),
        )
      }
    }
    let isOver = false
    const read = async (from: Storage) => {
      const seen: number[] = []
      for (;;) {
        const wasOver = isOver
        const events = await from.events.list((seen.at(-1) ?? start) + 1, 7)
        seen.push(...events.map(({ id }) => id))
        if (events.length === 0 && wasOver) return seen
      }
    }
    const reading = Promise.all(stores.map(read))
    await Promise.all([1, 2, 3, 4].map(writer)).finally(() => {
      isOver = true
    })
    written.sort((a, b) => a - b)
    for (const seen of await reading) assert.deepEqual(seen, written)
    // Turns and looks of readers write no version of a row, which a long snapshot would keep.
    assert.deepEqual(await locks(), locksBefore)
    assert.deepEqual(new Set(written.map((id) => shardOfId(id, SHARDS))), new Set([1, 2, 3, 4]))
  })
})
