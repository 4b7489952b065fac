import { SCHEMA } from '../../../store.ts'
// The embedded store keeps less of slots, of signers, and of hashes in the index of authors' lists. Lists and slots stay exact; the oracle is a
// list in memory. The same runs on PostgreSQL, which keeps everything.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { effort } from '../../../../test/effort.ts'
import { type Random, randomFrom, runSeed } from '../../../../test/random.ts'
import { messageRows } from '../../../../test/storage-suite.ts'
import { postgresPlace, sqlitePlace } from '../../../../test/storage-support.ts'
import {
  castSlot,
  castsByParentKey,
  castTargetKey,
  linkSlot,
  linksByTargetKey,
  MESSAGE_SETS,
  reactionSlot,
  reactionsByTargetKey,
  userDataSlot,
} from '../../protocol/slots.ts'
import { MessageType, ReactionType } from '../../protocol/wire/message_pb.js'
import { openSqlite } from '../engines/sqlite.ts'
import { tokenOfKey } from '../reads/list-key.ts'
import type { Page, PageRequest } from '../reads/page.ts'
import type { Storage } from '../storage.ts'
import { migrate } from '../tables/schema.ts'
import type { NewMessage } from './messages.ts'

const seed = runSeed()
console.log(`narrow messages: TEST_SEED=${seed}`)

const FIDS = [7, 8]
/** Few times and few beginnings of hashes, so that many messages of a second begin alike. */
const TIMES = [100, 101]
const BEGINNINGS = [0, 1, 0xff].flatMap((first) =>
  [0, 7, 0xff].map((last) => Uint8Array.of(first, 5, 5, last)),
)
const PARENT = castTargetKey(7, Buffer.alloc(20, 3))
const PARENTS = [castsByParentKey(PARENT), castsByParentKey(castTargetKey(8, Buffer.alloc(20, 4)))]

/** The store knows all but the last. */
const SIGNERS = [1, 2, 3].map((byte) => Buffer.alloc(32, byte))

const { CAST_ADD, CAST_REMOVE, REACTION_ADD, LINK_ADD, USER_DATA_ADD } = MessageType

function randomHash(random: Random): Uint8Array {
  const rest = [0, 1, 0xff].map((byte) => Buffer.alloc(16, byte))
  const tail = random.int(3) === 0 ? random.pick(rest) : Buffer.from(randomBytes(random, 16))
  return Buffer.concat([random.pick(BEGINNINGS), tail])
}

const randomBytes = (random: Random, count: number) =>
  Uint8Array.from({ length: count }, () => random.int(256))

/** A message of any kind; those that the store computes the slots of are the most. */
function randomMessage(random: Random, id: number): NewMessage {
  const fid = random.pick(FIDS)
  const hash = randomHash(random)
  const signer = random.pick(SIGNERS)
  const [plain] = messageRows(1, () => ({ id, fid, hash, signer, timestamp: random.pick(TIMES) }))
  const key = castTargetKey(7, Buffer.from(randomBytes(random, 20)))
  switch (random.int(8)) {
    case 0:
      return { ...plain!, type: CAST_REMOVE, slot: castSlot(fid, randomBytes(random, 20)) }
    case 1: {
      const [store, type] = [MESSAGE_SETS.userData, USER_DATA_ADD]
      return { ...plain!, store, type, slot: Buffer.concat([userDataSlot(fid, 1), hash]) }
    }
    case 2: {
      const [store, type] = [MESSAGE_SETS.reactions, REACTION_ADD]
      const target = reactionsByTargetKey(ReactionType.LIKE, key)
      return { ...plain!, store, type, target, slot: reactionSlot(fid, ReactionType.LIKE, key) }
    }
    case 3: {
      const [store, type] = [MESSAGE_SETS.links, LINK_ADD]
      const target = linksByTargetKey(id, 'follow')
      return { ...plain!, store, type, target, slot: linkSlot(fid, 'follow', id) }
    }
    default: {
      const target = random.pick([...PARENTS, null])
      return { ...plain!, type: CAST_ADD, target, slot: castSlot(fid, hash) }
    }
  }
}

const compareKeys = (a: NewMessage, b: NewMessage) =>
  a.timestamp - b.timestamp || Buffer.compare(a.hash, b.hash) || a.fid - b.fid

/** Reads all pages after `token` and compares them with the rows of the model that come after it. */
async function checkList(
  expected: readonly NewMessage[],
  start: { readonly row: NewMessage | undefined; readonly page: PageRequest },
  read: (page: PageRequest) => Promise<Page<{ id: number }>>,
): Promise<void> {
  const { row, page } = start
  const sign = page.reverse ? -1 : 1
  const wanted = expected
    .filter((one) => !row || sign * compareKeys(one, row) > 0)
    .sort((a, b) => sign * compareKeys(a, b))
  const found: number[] = []
  for (let token = page.token; ; ) {
    const { items, next } = await read({ ...page, token })
    found.push(...items.map(({ id }) => id))
    if (!next) break
    token = next
  }
  assert.deepEqual(
    found,
    wanted.map(({ id }) => id),
  )
}

/** Compares all lists, slots and casts of the store with the model, from random places on. */
async function checkReads(
  storage: Storage,
  model: readonly NewMessage[],
  gone: readonly NewMessage[],
  random: Random,
): Promise<void> {
  const hidden = (await storage.moderation.hiddenCastsAmong(model.map(({ hash }) => hash))).map(
    ({ hash }) => hexOf(hash),
  )
  const isPublished = ({ hash }: NewMessage) => !hidden.includes(hexOf(hash))
  const startOf = (columns: readonly ('timestamp' | 'hash' | 'fid')[], fid?: number) => {
    const known = random.pick([undefined, ...model, ...gone, randomMessage(random, 1)])
    const row = known && { ...known, fid: fid ?? known.fid }
    const token = row && tokenOfKey(row, columns)
    const page = { size: random.pick([1, 2, 100]), reverse: random.int(2) === 1, token }
    return { row, page }
  }
  const { published, messages } = storage
  for (const fid of FIDS) {
    for (const store of [MESSAGE_SETS.casts, MESSAGE_SETS.userData, MESSAGE_SETS.links]) {
      const rows = model.filter((row) => row.fid === fid && row.store === store)
      const start = () => startOf(['timestamp', 'hash'], fid)
      await checkList(rows, start(), (page) => messages.listByFid({ fid, store }, page))
      const shown = store === MESSAGE_SETS.casts ? rows.filter(isPublished) : rows
      await checkList(shown, start(), (page) => published.messages.listByFid({ fid, store }, page))
      const [first] = await messages.oldest([{ fid, store, excess: 1 }])
      assert.equal(first?.id, [...rows].sort(compareKeys)[0]?.id)
    }
  }
  for (const targets of [PARENTS.slice(0, 1), PARENTS]) {
    const rows = model.filter(({ target }) => targets.some((one) => target && same(one, target)))
    const start = () => startOf(['timestamp', 'hash', 'fid'])
    await checkList(rows, start(), (page) => messages.listByTargets(targets, page))
    const shown = rows.filter(isPublished)
    await checkList(shown, start(), (page) => published.messages.listByTargets(targets, page))
  }
  await checkRows(storage, model, random)
  for (const row of random.shuffled(model).slice(0, 5)) {
    assert.equal((await messages.bySlot(row.slot))?.id, row.id)
    if (row.type !== CAST_ADD) continue
    const found = await messages.castByHash(row.hash)
    assert.ok(model.some(({ id, hash }) => id === found?.id && same(hash, row.hash)))
  }
  for (const row of gone.slice(-3)) {
    const isBack = model.find(({ slot }) => same(slot, row.slot))
    assert.equal((await messages.bySlot(row.slot))?.id, isBack?.id)
  }
}

/** Every way to read whole messages, and lists of one signer. */
async function checkRows(storage: Storage, model: readonly NewMessage[], random: Random) {
  const rows = [...model].sort((a, b) => a.id - b.id)
  const last = rows.at(-1)?.id ?? 0
  const wanted = rows.map(({ mentions: _, ...row }) => plainOf(row))
  assert.deepEqual((await storage.messages.scan(0, last + 1)).map(plainOf), wanted)
  const [fid, signer, store] = [random.pick(FIDS), random.pick(SIGNERS), MESSAGE_SETS.links]
  const list = { fid, store, signer }
  const ofSigner = rows.filter((row) => row.fid === fid && row.store === store)
  const expected = ofSigner.filter((row) => same(row.signer, signer)).sort(compareKeys)
  const page = { size: 1_000 }
  const ids = expected.map(({ id }) => id)
  assert.deepEqual(
    (await storage.messages.listByFid(list, page)).items.map(({ id }) => id),
    ids,
  )
  const someSlots = random.shuffled(ofSigner.map(({ slot }) => slot)).slice(0, 3)
  const inSlots = await storage.published.envelopes.bySlots([...someSlots, Uint8Array.of(9)])
  const inSlotsAlone = await Promise.all(someSlots.map(storage.published.messages.bySlot))
  assert.deepEqual(
    inSlots.map((one) => one && hexOf(one.data)),
    [...inSlotsAlone, undefined].map((one) => one && hexOf(one.data)),
  )
  const envelopes = (await storage.published.envelopes.listByFid({ fid, store }, page)).items
  assert.deepEqual(
    envelopes.map((one) => hexOf(one.signer)),
    ofSigner.sort(compareKeys).map((one) => hexOf(one.signer)),
  )
}

const plainOf = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? hexOf(value) : value,
    ]),
  )

const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** Messages have different hashes and, while they are stored, slots. */
function withoutRepeats(rows: readonly NewMessage[], stored: readonly NewMessage[] = []) {
  const seen = new Set(stored.flatMap(({ hash, slot }) => [hexOf(hash), hexOf(slot)]))
  return rows.filter(({ hash, slot }) => {
    const names = [hexOf(hash), hexOf(slot)]
    if (names.some((name) => seen.has(name))) return false
    for (const name of names) seen.add(name)
    return true
  })
}

const signerOf = (key: Uint8Array) => ({
  fid: 7,
  key,
  active: 1 as const,
  block_number: 1,
  log_index: key[0]!,
})

/** Random batches of messages and removals, with all reads after each. `model` has what the store begins with. */
async function checkHistory(storage: Storage, random: Random, model: NewMessage[] = []) {
  const gone: NewMessage[] = []
  await storage.write('hub', (tx) => tx.accounts.putSigners(SIGNERS.slice(0, -1).map(signerOf)))
  let id = Math.max(0, ...model.map((row) => row.id))
  for (let step = 0; step < effort(5, 200); step++) {
    const drawn = Array.from({ length: random.int(9) }, () => randomMessage(random, ++id))
    const batch = withoutRepeats(drawn, model)
    const leaving = random.shuffled(model).slice(0, random.int(4))
    await storage.write('hub', async (tx) => {
      await tx.messages.remove(leaving)
      await tx.messages.insert(batch)
      for (const { fid, hash } of batch) {
        if (random.int(5) === 0) await tx.moderation.hideCast({ hash, fid, hidden_at: 1 })
      }
    })
    gone.push(...leaving)
    model = [...model.filter((row) => !leaving.includes(row)), ...batch]
    await checkReads(storage, model, gone, random)
  }
}

describe('narrow messages', () => {
  for (const [name, createPlace] of Object.entries({
    sqlite: sqlitePlace,
    postgres: postgresPlace,
  })) {
    test(`lists of messages whose hashes begin alike are exact on ${name}`, async (t) => {
      const place = await createPlace()
      t.after(() => place.drop())
      const storage = await place.open()
      t.after(() => storage.close())
      await checkHistory(storage, randomFrom(seed))
    })
  }

  test('lists of messages whose hashes begin alike are exact in an embedded store of an earlier version', async (t) => {
    const place = await sqlitePlace()
    t.after(() => place.drop())
    const random = randomFrom(seed + 1)
    const rows = Array.from({ length: 60 }, (_, i) => randomMessage(random, i + 1))
    const old = withoutRepeats(rows)
    const engine = openSqlite(join(place.dir, 'rookery.sqlite'))
    await migrate(
      engine,
      SCHEMA.migrations.filter(({ id }) => id < 24),
    )
    const columns = Object.keys(old[0]!).filter((name) => name !== 'mentions')
    await engine.transaction(async (sql) => {
      await sql.all('insert into signer values (7, ?, 1, 1, 1)', [SIGNERS[0]!])
      for (const row of old) {
        const text = `insert into message (${columns}) values (${columns.map(() => '?')})`
        await sql.all(
          text,
          columns.map((name) => row[name as 'id']),
        )
        await sql.all(
          `insert into usage (fid, store, count) values (?, ?, 1)
           on conflict (fid, store) do update set count = count + 1`,
          [row.fid, row.store],
        )
      }
    })
    await engine.close()
    const storage = await place.open()
    t.after(() => storage.close())
    await checkReads(storage, old, [], random)
    await checkHistory(storage, random, old)
  })
})

describe('an embedded store', () => {
  async function openPlace() {
    const place = await sqlitePlace()
    const storage = await place.open()
    const database = new DatabaseSync(join(place.dir, 'rookery.sqlite'))
    return {
      storage,
      database,
      async close() {
        database.close()
        await storage.close()
        await place.drop()
      },
    }
  }

  test('an embedded store keeps no slots of casts, reactions and links, numbers of signers, and 4 bytes of hashes, but for those that begin alike', async (t) => {
    const { storage, database, close } = await openPlace()
    t.after(close)
    const random = randomFrom(seed + 2)
    const drawn = Array.from({ length: 40 }, (_, i) => randomMessage(random, i + 1))
    const rows = drawn
      .filter(({ type }) => [CAST_ADD, REACTION_ADD, LINK_ADD].includes(type))
      .map((row, i) => ({ ...row, timestamp: 1_000 + i }))
    await storage.write('hub', (tx) => tx.accounts.putSigners(SIGNERS.map(signerOf)))
    await storage.write('hub', (tx) => tx.messages.insert(rows))
    const signers = database.prepare('select distinct typeof(signer) as kept from message').all()
    assert.deepEqual(
      signers.map(({ kept }) => kept),
      ['integer'],
    )
    assert.deepEqual(database.prepare("select id from message where kept_slot <> x''").all(), [])
    const whole = () =>
      database.prepare('select id from message where length(hash_key) <> 4 order by id').all()
    assert.deepEqual(whole(), [])
    // A second cast of the same author and second whose hash begins like that of the first.
    const [one, two] = ['aa', 'bb'].map((end, i) => {
      const hash = Buffer.from(`01020304${end.repeat(16)}`, 'hex')
      const [row] = messageRows(1, () => ({ id: 100 + i, fid: 7, hash, slot: castSlot(7, hash) }))
      return row!
    })
    await storage.write('hub', (tx) => tx.messages.insert([two!]))
    assert.deepEqual(whole(), [])
    await storage.write('hub', (tx) => tx.messages.insert([one!]))
    assert.deepEqual(
      whole().map(({ id }) => id),
      [100, 101],
    )
  })
})
