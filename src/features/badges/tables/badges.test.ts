import { MAX_FID } from '../../../kernel/protocol/sizes.ts'
import { openWholeStore } from '../../../store.ts'
import { badgeRows } from './badges.ts'
// The queries behind power badges, on both engines.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createDatabase } from '../../../../test/postgres.ts'
import { ENGINES } from '../../../../test/world.ts'
import {
  castsByParentKey,
  castTargetKey,
  linksByTargetKey,
  MESSAGE_SETS,
  reactionsByTargetKey,
  urlTargetKey,
} from '../../../kernel/protocol/slots.ts'
import { MessageType } from '../../../kernel/protocol/wire/message_pb.js'
import type { NewMessage } from '../../../kernel/storage/messages/messages.ts'
import type { Storage, Writer } from '../../../kernel/storage/storage.ts'
import { EDGES, type EdgeKind, type EdgePosition } from '../../../kernel/storage/tables/graph.ts'

const { CAST_ADD, CAST_REMOVE, LINK_ADD, REACTION_ADD } = MessageType
const [LIKE, RECAST] = [1, 2]

let nextId = 1
function row(fid: number, type: number, target: Uint8Array | null, timestamp = 100): NewMessage {
  const id = nextId++
  const hash = Buffer.alloc(20)
  hash.writeUInt32BE((id * 2_654_435_761) % 2 ** 32)
  const store =
    { [LINK_ADD]: MESSAGE_SETS.links, [REACTION_ADD]: MESSAGE_SETS.reactions }[type] ??
    MESSAGE_SETS.casts
  const [signer, signature] = [Buffer.alloc(32), Buffer.alloc(64)]
  const rest = { slot: Buffer.from(`slot ${id}`), signer, signature, form: 0, data: hash }
  return { id, fid, store, type, timestamp, hash, target, mentions: [], ...rest }
}

const cast = (fid: number, n: number) => castTargetKey(fid, Buffer.alloc(20, n))
const follow = (from: number, to: number, type = 'follow') =>
  row(from, LINK_ADD, linksByTargetKey(to, type))
const react = (from: number, type: number, target: Uint8Array, timestamp = 100) =>
  row(from, REACTION_ADD, reactionsByTargetKey(type, target), timestamp)
const reply = (from: number, target: Uint8Array) => row(from, CAST_ADD, castsByParentKey(target))

for (const engine of ENGINES) {
  describe(`badges in a store on ${engine}`, () => {
    let storage: Storage
    let drop: () => Promise<void>
    before(async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'rookery-badges-'))
      const database = engine === 'postgres' ? await createDatabase() : undefined
      storage = await openWholeStore({ databaseUrl: database?.url, dataDir, network: '3' })
      drop = async () => {
        await storage.close()
        await database?.drop()
        rmSync(dataDir, { recursive: true })
      }
    })
    after(() => drop())
    beforeEach(() => storage.reset())
    const write = <T>(work: (tx: Writer) => Promise<T>) => storage.write('platform', work)
    const insert = (rows: NewMessage[]) => storage.write('hub', (tx) => tx.messages.insert(rows))

    async function edges(kind: EdgeKind, limit: number): Promise<string[]> {
      const found: string[] = []
      let position: EdgePosition | undefined
      do {
        position = await storage.graph.edges(
          { kind, after: position, limit },
          (from, target, timestamp) => found.push(`${from} ${target} ${timestamp}`),
        )
      } while (position)
      return found
    }

    describe('edges of the trust graph', () => {
      test('edges of each kind are read once each, by target, in batches of any size', async () => {
        await insert([
          follow(1, MAX_FID),
          follow(3, 2),
          follow(MAX_FID, 2),
          follow(4, 2, 'mute'),
          follow(5, 2, 'follows'),
          react(1, LIKE, cast(2, 1), 7),
          react(1, LIKE, cast(2, 0xff), 8),
          react(3, LIKE, cast(MAX_FID, 0xff)),
          react(3, LIKE, urlTargetKey('https://example.com')),
          react(4, RECAST, cast(256, 1)),
          reply(5, cast(255, 2)),
          reply(5, urlTargetKey('https://example.com')),
          row(6, CAST_ADD, null),
        ])
        for (const limit of [1, 2, 3, 100]) {
          assert.deepEqual((await edges('follow', limit)).sort(), [
            `1 ${MAX_FID} 100`,
            '3 2 100',
            `${MAX_FID} 2 100`,
          ])
          assert.deepEqual((await edges('follow', limit)).at(-1), `1 ${MAX_FID} 100`)
          assert.deepEqual(await edges('like', limit), ['1 2 7', '1 2 8', `3 ${MAX_FID} 100`])
          assert.deepEqual(await edges('recast', limit), ['4 256 100'])
          assert.deepEqual(await edges('reply', limit), ['5 255 100'])
        }
      })

      test('edges are read from the index alone', async () => {
        if (engine !== 'sqlite') return
        await insert([follow(1, 2)])
        const { DatabaseSync } = await import('node:sqlite')
        const database = new DatabaseSync(join(storage.settings.dataDir, 'rookery.sqlite'))
        const text = `explain query plan ${EDGES}`
        const [plan] = database.prepare(text).all(...Array(7).fill(null)) as { detail: string }[]
        database.close()
        assert.match(plan!.detail, /SEARCH m USING COVERING INDEX message_target/)
      })
    })

    test('accounts count as active when they have a cast, not a remove, since the given time', async () => {
      await insert([
        row(1, CAST_ADD, null, 100),
        row(2, CAST_ADD, null, 99),
        row(3, CAST_REMOVE, null, 200),
        row(4, CAST_REMOVE, null, 200),
        row(4, CAST_ADD, null, 101),
        react(5, LIKE, cast(1, 1), 300),
      ])
      assert.deepEqual((await storage.graph.castSince([1, 2, 3, 4, 5, 6], 100)).sort(), [1, 4])
      assert.deepEqual(await storage.graph.castSince([], 100), [])
    })

    const found = (...fids: number[]) => ({
      computedAt: 1,
      summary: '{"x":"é"}',
      fids: Uint32Array.from(fids),
    })

    test('a badge run is no set before it is finished, and then it is complete', async () => {
      assert.equal(await storage.of(badgeRows).current(), undefined)
      const claim = await write((tx) => tx.of(badgeRows).claim(10, 'a'))
      assert.equal(await storage.of(badgeRows).current(), undefined)
      const set = found(1, 256, MAX_FID)
      const other = { ...claim, claimant: 'b' }
      assert.equal(await write((tx) => tx.of(badgeRows).finish(other, set)), false)
      assert.equal(await write((tx) => tx.of(badgeRows).finish(claim, set)), true)
      assert.equal(await write((tx) => tx.of(badgeRows).finish(claim, set)), false)
      assert.deepEqual(await storage.of(badgeRows).current(), { id: claim.id, due: 10, ...set })
    })

    test('a finished run replaces the set before with its chunks, and a begun one the unfinished', async () => {
      await write((tx) => tx.of(badgeRows).claim(10, 'a'))
      const first = await write((tx) => tx.of(badgeRows).claim(20, 'a'))
      await write(async (tx) => {
        await tx.of(badgeRows).finish(first, found())
        await tx.of(badgeRows).putChunk(first.id, { firstFid: 7, body: Uint8Array.of(1) })
      })
      const second = await write((tx) => tx.of(badgeRows).claim(30, 'a'))
      assert.equal((await storage.of(badgeRows).current())?.id, first.id)
      assert.deepEqual(await storage.of(badgeRows).chunkStarts(first.id), [7])
      await write((tx) => tx.of(badgeRows).finish(second, found(5)))
      assert.equal((await storage.of(badgeRows).current())?.id, second.id)
      assert.deepEqual(await storage.of(badgeRows).chunkStarts(first.id), [])
    })

    test('chunks are found by the run and their first fid', async () => {
      const chunks = [1, 300, MAX_FID].map((firstFid, i) => ({
        firstFid,
        body: Buffer.alloc(70_000, i),
      }))
      for (const chunk of chunks) await write((tx) => tx.of(badgeRows).putChunk(1, chunk))
      await write((tx) => tx.of(badgeRows).putChunk(2, chunks[0]!))
      assert.deepEqual(await storage.of(badgeRows).chunkStarts(1), [1, 300, MAX_FID])
      const [one] = await storage.of(badgeRows).chunks(1, [300, 301])
      assert.deepEqual([one?.firstFid, Buffer.from(one!.body)], [300, chunks[1]!.body])
      assert.deepEqual(await storage.of(badgeRows).chunks(2, [300]), [])
    })

    test('a fid has one mark, the last one put', async () => {
      const mark = { fid: MAX_FID, kind: 'add', reason: 'é "', marked_at: 5 } as const
      const other = { ...mark, fid: 1, kind: 'exclude' } as const
      await write((tx) => tx.of(badgeRows).putMark(mark))
      await write((tx) => tx.of(badgeRows).putMark({ ...other, kind: 'add' }))
      await write((tx) => tx.of(badgeRows).putMark(other))
      const plain = (rows: readonly object[]) => rows.map((row) => ({ ...row }))
      assert.deepEqual(plain(await storage.of(badgeRows).marks()), [other, mark])
      assert.deepEqual({ ...(await storage.of(badgeRows).mark(1)) }, other)
      assert.equal(await storage.of(badgeRows).markCount(), 2)
      assert.equal(await write((tx) => tx.of(badgeRows).removeMark(1)), true)
      assert.equal(await write((tx) => tx.of(badgeRows).removeMark(1)), false)
      assert.equal(await storage.of(badgeRows).mark(1), undefined)
    })
  })
}
