import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NETWORK, postgresPlace, sqlitePlace } from '../../../test/storage-support.ts'
import { channelRows } from '../../features/channels/tables/channels.ts'
import { openWholeStore } from '../../store.ts'
import { openPostgres } from './engines/postgres.ts'
import type { PlatformPart, Storage } from './storage.ts'

/** A transaction that holds its locks until it is told to end. */
function hold(storage: Storage, lock: Parameters<Storage['write']>[0]) {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const transaction = storage.write(lock, async () => {
    begun.resolve()
    await ended.promise
  })
  return {
    begun: begun.promise,
    end: () => {
      ended.resolve()
      return transaction
    },
  }
}

/** Whether a write is done by the time that another one, begun later, is done too. */
async function isWaiting(write: Promise<unknown>, other: () => Promise<unknown>): Promise<boolean> {
  let isDone = false
  write.then(() => {
    isDone = true
  })
  await other()
  await sleep(20)
  return !isDone
}

const nothing = async () => {}

for (const [engine, placeOf] of [
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
] as const) {
  test(`increments under several parts of the platform at once are all kept on ${engine}`, async () => {
    const place = await placeOf()
    const storage = await place.open()
    const parts: PlatformPart[] = ['channel/a', 'fid/1', 'all/apps']
    const add = (lock: PlatformPart | PlatformPart[], name: string) =>
      storage.write(lock, async (tx) => {
        const count = Number((await tx.cursors.get(name)) ?? 0)
        await sleep(1)
        await tx.cursors.put(name, String(count + 1))
      })
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        add([parts[i % 3]!, parts[(i + 1) % 3]!, 'channel/shared'], 'sum'),
      ).concat(Array.from({ length: 10 }, () => add('channel/b', 'b'))),
    )
    assert.equal(await storage.cursors.get('sum'), '30')
    assert.equal(await storage.cursors.get('b'), '10')
    await assert.rejects(
      storage.write('channel/a', async (tx) => tx.newestId),
      /no ids are given under a part/,
    )
    await storage.close()
    await place.drop()
  })
}

describe('parts of the platform in two processes on PostgreSQL', () => {
  let place: Awaited<ReturnType<typeof postgresPlace>>
  let one: Storage
  let two: Storage
  before(async () => {
    place = await postgresPlace()
    const settings = {
      ...{ databaseUrl: place.url, dataDir: '', network: NETWORK },
      postgresLimits: { writeConnections: 2 },
    }
    one = await openWholeStore(settings)
    two = await openWholeStore(settings)
  })
  after(async () => {
    await one.close()
    await two.close()
    await place.drop()
  })

  test('while one channel is locked other channels and fids are written and it is not', async () => {
    const held = hold(one, ['channel/a', 'fid/1'])
    await held.begun
    const same = [two.write('channel/a', nothing), one.write(['fid/1', 'fid/9'], nothing)]
    assert.ok(
      await isWaiting(Promise.race(same), async () => {
        for (const storage of [one, two]) {
          await storage.write('channel/b', nothing)
          await storage.write('fid/2', nothing)
          await storage.write(['channel/c', 'fid/3'], nothing)
        }
      }),
    )
    await held.end()
    await Promise.all(same)
  })

  test('a transaction under the lock of the hub and parts keeps out writers of either', async () => {
    const held = hold(one, ['hub', 'channel/a', 'fid/1'])
    await held.begun
    const same = [two.write('hub', nothing), two.write('fid/1', nothing)]
    assert.ok(await isWaiting(Promise.race(same), () => one.write('channel/b', nothing)))
    await held.end()
    await Promise.all(same)
    const id = await one.write(['hub', 'fid/1'], async (tx) => tx.newestId)
    assert.equal(id, await two.write('hub', async (tx) => tx.newestId))
  })

  test('many writers of one locked channel leave the connections of their process to others', async () => {
    const held = hold(one, 'channel/a')
    await held.begun
    const crowd = Array.from({ length: 20 }, () => two.write('channel/a', nothing))
    await two.write('channel/b', nothing)
    await held.end()
    await Promise.all(crowd)
  })

  test('a writer of the whole platform waits for writers of its parts and they wait for it', async () => {
    for (const [first, second] of [
      ['channel/a', 'platform'],
      ['platform', 'channel/a'],
    ] as const) {
      const held = hold(one, first)
      await held.begun
      const later = two.write(second, nothing)
      assert.ok(await isWaiting(later, () => two.write('hub', nothing)))
      await held.end()
      await later
    }
  })

  test('ids of the platform become visible in order, also when the first one given is committed late', async () => {
    const given = Promise.withResolvers<number>()
    const goOn = Promise.withResolvers<void>()
    const first = one.write('channel/a', async (tx) => {
      given.resolve(await tx.nextPlatformId())
      await goOn.promise
      await tx.of(channelRows).addModeration(moderation(await given.promise, 'a'))
    })
    const firstId = await given.promise
    const second = two.write('channel/b', async (tx) => {
      const id = await tx.nextPlatformId()
      await tx.of(channelRows).addModeration(moderation(id, 'b'))
      return id
    })
    assert.ok(await isWaiting(second, () => two.write('channel/c', nothing)))
    goOn.resolve()
    await first
    assert.equal(await second, firstId + 1)
  })

  test('a part is refused when the rows of its lock are missing', async () => {
    const other = await postgresPlace()
    const storage = await other.open()
    const engine = openPostgres(other.url)
    await engine.all("delete from lock where name like 'part %'")
    await assert.rejects(storage.write('channel/a', nothing), /the table lock lacks rows/)
    await engine.close()
    await storage.close()
    await other.drop()
  })
})

const moderation = (id: number, channel_id: string) => ({
  ...{ id, channel_id, cast_hash: new Uint8Array(20), moderated_at: 1, by_fid: 1 },
  action: 'hide' as const,
})
