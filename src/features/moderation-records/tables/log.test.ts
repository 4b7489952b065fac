import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import type { ModerationAction } from '../actions.ts'
import {
  type LogSearch,
  MAX_READ_ENTRIES,
  MODERATION_LOG,
  type ModerationEntry,
  moderationLogReader,
  moderationLogRows,
} from './log.ts'

const KIM = 'fid 7 (moderator)'
/** Ids count from 1 on. */
const ENTRIES: readonly (readonly [ModerationAction, string, number | null, number])[] = [
  ['hide', KIM, 2, 100],
  ['suspend', 'operator', 2, 100],
  ['resolve', KIM, 3, 200],
  ['set', 'operator', null, 300],
  ['hide', 'server', 3, 300],
  ['resolve', KIM, 2, 400],
]

const manyRows = rowsOf(moderationLogReader, ({ sql }) => ({
  ...moderationLogReader(sql),
  insert: (rows: readonly ModerationEntry[]) => MODERATION_LOG.insert(sql, rows),
}))

for (const engine of ENGINES) {
  test(`the log is searched by action, actor, account and time, and each page looks at a bounded number of entries, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    await storage.write('hub', async (tx) => {
      for (const [action, actor, fid, at] of ENTRIES) {
        const about = { cast_hash: null, name: null, reason: 'spam' }
        await tx.of(moderationLogRows).add({ action, actor, fid, at, ...about })
      }
    })
    const log = storage.of(moderationLogRows)
    const idsOf = async (filter: LogSearch, before = 100, limit = 10, most = 10) => {
      const { rows, searchedTo } = await log.search(filter, before, limit, most)
      return [rows.map(({ id }) => id), searchedTo?.id]
    }
    assert.deepEqual(await idsOf({}), [[6, 5, 4, 3, 2, 1], undefined])
    assert.deepEqual(await idsOf({ actions: ['hide', 'suspend'] }), [[5, 2, 1], undefined])
    assert.deepEqual(await idsOf({ actors: [KIM, 'server'] }), [[6, 5, 3, 1], undefined])
    assert.deepEqual(await idsOf({ fid: 2, actors: [KIM] }), [[6, 1], undefined])
    assert.deepEqual(await idsOf({ fid: 9 }), [[], undefined])
    assert.deepEqual(await idsOf({ withoutReportsAbout: 2 }), [[5, 4, 3, 2, 1], undefined])
    // From the first second on, and before the last.
    assert.deepEqual(await idsOf({ since: 200 }), [[6, 5, 4, 3], undefined])
    assert.deepEqual(await idsOf({ since: 201, until: 400 }), [[5, 4], undefined])
    assert.deepEqual(await idsOf({ until: 101 }), [[2, 1], undefined])
    assert.deepEqual(await idsOf({ since: 401 }), [[], undefined])
    assert.deepEqual(await idsOf({ until: 100 }), [[], undefined])
    // A page that found little says where to go on, and the last one that there is no more.
    assert.deepEqual(await idsOf({ actions: ['suspend'] }, 100, 10, 3), [[], 4])
    assert.deepEqual(await idsOf({ actions: ['suspend'] }, 4, 10, 3), [[2], 1])
    assert.deepEqual(await idsOf({ actions: ['suspend'] }, 1, 10, 3), [[], undefined])
    assert.deepEqual(await idsOf({ actions: ['resolve', 'hide'] }, 100, 2, 3), [[6, 5], undefined])
  })
  test(`the log is searched for words in whatever case, and says how far back a page looked, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const reasons = ['Buys Boats', 'Äpfel und ÖL', '100% sure', 'boat_s', 'a\\b']
    const others = ['İstanbul, ΟΔΟΣΜΑ', 'Große Straße']
    await storage.write('hub', async (tx) => {
      for (const [at, reason] of [...reasons, ...others].entries()) {
        const about = { fid: null, cast_hash: null, name: at === 3 ? 'Birds.png' : null, reason }
        await tx.of(moderationLogRows).add({ action: 'set', actor: 'operator', at, ...about })
      }
    })
    const idsOf = async (...words: string[]) =>
      (await storage.of(moderationLogRows).search({ words }, 100, 10)).rows.map(({ id }) => id)
    assert.deepEqual(await idsOf('bOATs'), [1])
    assert.deepEqual(await idsOf('boat'), [4, 1])
    assert.deepEqual(await idsOf('buy', 'boat'), [1])
    assert.deepEqual(await idsOf('buy', 'fish'), [])
    assert.deepEqual(await idsOf('BIRDS'), [4])
    for (const word of ['äpfel', 'ÄPFEL', 'Öl']) assert.deepEqual(await idsOf(word), [2], word)
    for (const word of ['İstanbul', 'οδος', 'ΟΔΟΣ']) assert.deepEqual(await idsOf(word), [6], word)
    for (const word of ['STRASSE', 'straße']) assert.deepEqual(await idsOf(word), [7], word)
    // What means something to an engine is found as it stands.
    for (const [word, id] of [
      ['%', 3],
      ['_', 4],
      ['\\', 5],
    ] as const) {
      assert.deepEqual(await idsOf(word), [id], word)
    }
    const { searchedTo } = await storage
      .of(moderationLogRows)
      .search({ words: ['buys'] }, 100, 10, 2)
    assert.deepEqual(searchedTo, { id: 6, at: 5 })
  })
  test(`who searches long texts of the log for words lets others have their turn, and looks at a bounded number, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const entry = { action: 'set', actor: 'operator', at: 1, fid: null, cast_hash: null } as const
    await storage.write('hub', async (tx) => {
      const reasonOf = (id: number) => (id % 50 === 2 ? 'a boat ' : '').padEnd(2_000, 'a')
      const entries = Array.from({ length: MAX_READ_ENTRIES + 1 }, (_, i) => {
        return { ...entry, id: i + 1, name: null, reason: reasonOf(i + 1), goes_with: null }
      })
      await tx.of(manyRows).insert(entries)
    })
    let turns = 0
    let isOver = false
    const others = (async () => {
      for (; !isOver; turns++) await nextTurn()
    })()
    const log = storage.of(moderationLogRows)
    const none = await log.search({ words: ['a', 'aa', `${'a'.repeat(90)}b`] }, 10_000, 100)
    isOver = true
    await others
    assert.ok(turns >= 20, `${turns} turns`)
    assert.deepEqual(none, { rows: [], searchedTo: { id: 2, at: 1 } })
    const idsOf = async (limit: number) =>
      (await log.search({ words: ['BOAT'] }, 10_000, limit)).rows.map(({ id }) => id)
    const all = Array.from({ length: 40 }, (_, i) => 1_952 - i * 50)
    assert.deepEqual(await idsOf(100), all)
    assert.deepEqual(await idsOf(3), all.slice(0, 3))
  })
  test(`what was taken back is known by what followed about the account, each warning by its id, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    const hash = (fill: number) => new Uint8Array(20).fill(fill)
    const entries = await storage.write('hub', async (tx) => {
      const made = []
      for (const [action, fid, cast_hash, name] of [
        ['warn', 2, null, null],
        ['warn', 2, null, null],
        ['unwarn', 2, null, '1'],
        ['hide', 2, hash(1), null],
        ['hide', 2, hash(2), null],
        ['unhide', 2, hash(1), null],
        ['suspend', 2, null, null],
        ['suspend', 3, null, null],
        ['restore', 3, null, null],
        ['suspend', 3, null, null],
        ['resolve', 3, null, null],
        // What was held is hidden, and shown for the first time after that.
        ['hold', 4, hash(3), null],
        ['hold', 4, hash(4), null],
        ['hide', 4, hash(3), null],
        ['release', 4, hash(3), null],
      ] as const) {
        const rest = { at: 1, actor: 'operator', reason: 'spam' }
        made.push(await tx.of(moderationLogRows).add({ action, fid, cast_hash, name, ...rest }))
      }
      return made
    })
    const gone = []
    for (const entry of entries) {
      if (await storage.of(moderationLogRows).isTakenBack(entry)) gone.push(entry.id)
    }
    assert.deepEqual(gone, [1, 4, 8, 12, 14])
  })
  test(`an entry whose time is a little before that of the one before it is found by its time, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    await storage.write('hub', async (tx) => {
      for (const at of [100, 1_002, 1_000, 1_001, 9_000, 8_999]) {
        const about = { fid: null, cast_hash: null, name: null, reason: 'spam' }
        await tx.of(moderationLogRows).add({ action: 'set', actor: 'operator', at, ...about })
      }
    })
    const idsOf = async (filter: LogSearch) =>
      (await storage.of(moderationLogRows).search(filter, 100, 10)).rows.map(({ id }) => id)
    assert.deepEqual(await idsOf({ since: 1_000, until: 9_001 }), [6, 5, 4, 3, 2])
    assert.deepEqual(await idsOf({ since: 1_002, until: 9_000 }), [6, 2])
    assert.deepEqual(await idsOf({ until: 1_001 }), [3, 1])
    assert.deepEqual(await idsOf({ since: 9_000 }), [5])
  })
}
