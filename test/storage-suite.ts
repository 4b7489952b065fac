// The behaviour of a store, as tests that every engine passes.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import { EventLog } from '../src/kernel/storage/messages/event-log.ts'
import {
  MAX_SCANNED_ROWS,
  type NewMessage,
  type StoredMessage,
} from '../src/kernel/storage/messages/messages.ts'
import type { Page, PageRequest } from '../src/kernel/storage/reads/page.ts'
import { type Storage, type Writer, WrongNetworkError } from '../src/kernel/storage/storage.ts'

/** The location of a store's data; the store on it may be opened and closed. */
export type Place = {
  open(network?: string): Promise<Storage>
  drop(): Promise<void>
}

const MAX_INTEGER = Number.MAX_SAFE_INTEGER
/** A late id that leaves room for later ones: ids keep growing when the data is deleted. */
const LATE_ID = MAX_INTEGER - 1_000_000
/** A list far longer than a batch. */
const LONG = 5_000
const NASTY_BYTES = [
  Uint8Array.of(),
  Uint8Array.of(0),
  Uint8Array.of(0, 0, 0xff, 0xff),
  Buffer.from('\\x00 \\ " \' {null},NULL ? $1 \n\t'),
  Uint8Array.from({ length: 256 }, (_, i) => i),
]
const NASTY_TEXTS = [
  '',
  '\\',
  '"',
  "'",
  '{a,b}',
  'null',
  'NULL',
  '? $1',
  'line\nline',
  'Ünï🐦',
  ' x ',
  'a\0b',
  '\0',
  // What PostgreSQL's form of NUL is made of, and code points that no character has.
  '\ufdd0',
  '\ufdd00',
  '\ufdd0\ufdd0\0',
  '\u0378\uffff\u{10ffff}\u0001\u009f',
]

export function storageSuite(name: string, createPlace: () => Promise<Place>): void {
  describe(`a store on ${name}`, () => {
    let place: Place
    let storage: Storage
    before(async () => {
      place = await createPlace()
      storage = await place.open()
    })
    after(async () => {
      await storage.close()
      await place.drop()
    })
    beforeEach(() => storage.reset())

    const write = <T>(work: (tx: Writer) => Promise<T>) => storage.write('hub', work)
    const insert = (rows: readonly NewMessage[]) => write((tx) => tx.messages.insert(rows))
    const remove = (rows: readonly StoredMessage[]) => write((tx) => tx.messages.remove(rows))
    const reopen = async () => {
      await storage.close()
      storage = await place.open()
    }

    describe('a lease', () => {
      const take = (holder: string, now: number, expiresAt = now + 100) =>
        storage.write('leader', (tx) => tx.leases.take('test', { holder, now, expiresAt }))
      const hold = (holder: string, epoch: number) =>
        storage.write('hub', (tx) => tx.leases.hold('test', { holder, epoch }))

      test('works that wait together see what those before them wrote, and leave nothing when they are refused', async () => {
        const { promise: opened, resolve: open } = Promise.withResolvers<void>()
        const first = storage.writeShared('hub', () => opened)
        const give = (name: string) =>
          storage.writeShared('hub', async (tx) => {
            const id = tx.newestId + 1
            await tx.events.append([{ id, type: 1, body: Buffer.from(name) }])
            await tx.cursors.put(name, String(id))
            if (name === 'refused') throw new Rejection('bad_request.conflict', 'no')
            return { id, before: await tx.cursors.get('refused') }
          })
        const works = ['one', 'refused', 'two', 'three'].map(give)
        open()
        await first
        const results = await Promise.allSettled(works)
        const ids = results.map((result) =>
          result.status === 'fulfilled' ? result.value : 'refused',
        )
        const newest = (await storage.events.newestId()) - 2
        assert.deepEqual(ids, [
          { id: newest, before: undefined },
          'refused',
          { id: newest + 1, before: undefined },
          { id: newest + 2, before: undefined },
        ])
        assert.equal(await storage.cursors.get('refused'), undefined)
        assert.equal(await storage.cursors.get('three'), String(newest + 2))
      })

      test('a work that breaks a rule of the database fails alone', async () => {
        const { promise: opened, resolve: open } = Promise.withResolvers<void>()
        const first = storage.writeShared('hub', () => opened)
        const insert = (id: number) =>
          storage.writeShared('hub', (tx) => tx.events.append([{ id, type: 1 }]))
        const results = Promise.allSettled([insert(101), insert(102), insert(101), insert(103)])
        open()
        await first
        const statuses = (await results).map(({ status }) => status)
        assert.deepEqual(statuses, ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
        const events = await storage.events.list(0, 10)
        assert.deepEqual(
          events.map(({ id }) => id),
          [101, 102, 103],
        )
      })

      test('a lease is taken and renewed by one holder, and by another one once it has expired', async () => {
        const now = 1_000
        // The lease outlives a reset; end what an earlier run of this test left.
        const before = (await storage.leases.get('test'))?.epoch ?? 0
        const first = await take('a', MAX_INTEGER, now + 100)
        assert.equal(first, before + 1)
        assert.equal(await take('b', now), undefined)
        assert.equal(await take('a', now + 50), first)
        assert.equal(await take('b', now + 149), undefined)
        assert.equal(await hold('a', first!), true)
        const second = await take('b', now + 150)
        assert.equal(second, first! + 1)
        assert.equal(await hold('a', first!), false, 'the former holder is fenced off')
        assert.equal(await hold('b', first!), false)
        assert.equal(await hold('b', second!), true)
        assert.deepEqual(await storage.leases.get('test'), {
          holder: 'b',
          epoch: second,
          expiresAt: now + 250,
        })
      })

      test('a lease is free at once when its holder releases it, and only the holder can', async () => {
        const epoch = (await take('a', MAX_INTEGER, 2_000))!
        const release = (holder: string) =>
          storage.write('leader', (tx) => tx.leases.release('test', { holder, epoch }))
        await release('b')
        assert.equal(await take('b', 1_000), undefined)
        await release('a')
        assert.equal(await take('b', 1_000), epoch + 1)
      })

      test('exactly one of several concurrent requests gets a lease', async () => {
        await take('nobody', MAX_INTEGER, 0)
        const epochs = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => take(holder, 1_000)))
        assert.equal(epochs.filter((epoch) => epoch !== undefined).length, 1)
      })
    })

    describe('messages', () => {
      test('messages are found by their slots, and missing ones are omitted', async () => {
        const rows = messageRows(3)
        await insert(rows)
        assert.deepEqual(plain(await storage.messages.bySlot(rows[1]!.slot)), stored(rows[1]!))
        assert.equal(await storage.messages.bySlot(Uint8Array.of(9)), undefined)
        const slots = [rows[2]!.slot, Uint8Array.of(9), rows[0]!.slot]
        assert.deepEqual(ids(await storage.messages.bySlots(slots)).sort(), [1, 3])
      })

      test('two messages cannot share a slot', async () => {
        const [first, second] = messageRows(2)
        await insert([first!])
        await assert.rejects(insert([{ ...second!, slot: first!.slot }]))
        assert.equal(await storage.messages.count(), 1)
        await write(async (tx) => {
          await tx.messages.remove([first!])
          await tx.messages.insert([{ ...second!, slot: first!.slot }])
        })
        assert.equal((await storage.messages.bySlot(first!.slot))?.id, second!.id)
      })

      test('messages are read back byte for byte', async () => {
        const rows = NASTY_BYTES.map((bytes, i) =>
          messageRow(i + 1, {
            data: bytes,
            target: bytes,
            slot: Buffer.concat([bytes, SEPARATOR]),
          }),
        )
        await insert(rows)
        assert.deepEqual((await storage.messages.scan(0, 100)).map(plain), rows.map(stored))
        const slots = rows.map(({ slot }) => slot)
        assert.equal((await storage.messages.bySlots(slots)).length, rows.length)
        for (const row of rows) {
          const { items } = await storage.messages.listByTargets([row.target!], { size: 10 })
          assert.deepEqual(ids(items), [row.id])
        }
      })

      test('messages may hold the largest numbers', async () => {
        const row = messageRow(MAX_INTEGER, { fid: MAX_INTEGER, timestamp: 2 ** 32 - 1 })
        await insert([row])
        assert.deepEqual((await storage.messages.scan(MAX_INTEGER - 1, 9)).map(plain), [
          stored(row),
        ])
        assert.deepEqual(await usageOf(storage, MAX_INTEGER), [[1, 1]])
      })

      test('messages of one author are listed by time and hash, in both directions', async () => {
        const rows = messageRows(30, (i) => ({ timestamp: 100 + (i % 4), type: 1 + (i % 2) }))
        const neighbours = messageRows(20, (i) => ({ id: 100 + i, fid: i % 2 ? 4 : 6 }))
        const otherStore = messageRows(5, (i) => ({ id: 200 + i, store: 3 }))
        await insert([...rows, ...neighbours, ...otherStore])
        const list = { fid: 5, store: 1 }
        await checkPages(inOrder(rows), (page) =>
          storage.messages.listByFid({ ...list, types: [1, 2] }, page),
        )
        const ofType = inOrder(rows.filter(({ type }) => type === 2))
        await checkPages(ofType, (page) =>
          storage.messages.listByFid({ ...list, types: [2] }, page),
        )
        const within = inOrder(rows.filter(({ timestamp }) => timestamp > 100 && timestamp < 103))
        await checkPages(within, (page) =>
          storage.messages.listByFid({ ...list, types: [1, 2], from: 101, to: 102 }, page),
        )
      })

      test('messages of one author can be filtered by a slot prefix', async () => {
        const rows = messageRows(20, (i) => ({
          slot: Buffer.from([1, 0, 0, 0, 5, i % 3, 0xff, i]),
        }))
        await insert(rows)
        const slotPrefix = Uint8Array.of(2, 0xff)
        await checkPages(inOrder(rows.filter((_, i) => i % 3 === 2)), (page) =>
          storage.messages.listByFid({ fid: 5, store: 1, types: [1], slotPrefix }, page),
        )
      })

      test('security finding 15: a page of a list with a filter that matches little looks at a bounded number of rows', async () => {
        const count = MAX_SCANNED_ROWS + 50
        const rows = messageRows(count, (i) => ({
          timestamp: 100 + i,
          slot: Buffer.from([1, 0, 0, 0, 5, i === count - 1 ? 1 : 2, i >> 8, i & 0xff]),
        }))
        for (let at = 0; at < count; at += 500) await insert(rows.slice(at, at + 500))
        const list = { fid: 5, store: 1, types: [1], slotPrefix: Uint8Array.of(1) }
        const first = await storage.messages.listByFid(list, { size: 10 })
        assert.deepEqual(first.items, [])
        const second = await storage.messages.listByFid(list, { size: 10, token: first.next })
        const last = [rows.at(-1)!.id]
        const idsOf = (page: Page<StoredMessage>) => page.items.map(({ id }) => id)
        assert.deepEqual([idsOf(second), second.next], [last, undefined])
        const newest = await storage.messages.listByFid(list, { size: 10, reverse: true })
        assert.deepEqual(idsOf(newest), last)
        const rest = { size: 10, reverse: true, token: newest.next }
        assert.deepEqual(await storage.messages.listByFid(list, rest), {
          items: [],
          next: undefined,
        })
        // Filters that match are not affected, and a list that ends within the bound has no token.
        const many = { ...list, slotPrefix: Uint8Array.of(2) }
        assert.equal((await storage.messages.listByFid(many, { size: 1_000 })).items.length, 1_000)
        const few = { ...list, from: 200 }
        const { next } = await storage.messages.listByFid(few, { size: 10, reverse: true })
        assert.equal(next, undefined)
      })

      test('messages about targets are listed by time, hash and author, in both directions', async () => {
        const target = Uint8Array.of(7, 0, 0xff)
        const other = Uint8Array.of(7, 0, 0xff, 0)
        const hashes = NASTY_BYTES.map((_, i) => Buffer.alloc(20, i))
        const rows = messageRows(30, (i) => ({
          fid: i,
          timestamp: 100 + (i % 3),
          hash: hashes[i % 5]!,
          target: i % 3 === 0 ? other : target,
        }))
        await insert([...rows, messageRow(100, { target: null })])
        const only = inOrder(rows.filter((row) => row.target === target))
        await checkPages(only, (page) => storage.messages.listByTargets([target], page))
        await checkPages(inOrder(rows), (page) =>
          storage.messages.listByTargets([target, other, Uint8Array.of(1)], page),
        )
        await checkPages([], (page) => storage.messages.listByTargets([], page))
      })

      test('security finding 15: a page of many targets together reads a bounded number of rows', async () => {
        const targets = Array.from({ length: 64 }, (_, i) => Uint8Array.of(9, i))
        const rows = messageRows(640, (i) => ({ timestamp: 100 + i, target: targets[i % 64]! }))
        await insert(rows)
        const page = await storage.messages.listByTargets(targets, { size: 1_000 })
        assert.equal(page.items.length, Math.floor(MAX_SCANNED_ROWS / 64))
        const found: number[] = []
        for (let next: Page<StoredMessage> | undefined = page; next; ) {
          found.push(...ids(next.items))
          const token: Uint8Array | undefined = next.next
          next = token && (await storage.messages.listByTargets(targets, { size: 1_000, token }))
        }
        assert.deepEqual(
          found,
          rows.map(({ id }) => id),
        )
      })

      test('message targets with a prefix are listed once each', async () => {
        const targets = [[1], [1, 0], [1, 0xfe], [1, 0xff], [1, 0xff, 0xff], [2], [2, 0]].map((b) =>
          Uint8Array.from(b),
        )
        await insert(
          messageRows(21, (i) => ({ target: targets[i % 7]! })).filter((row) => row.target),
        )
        const found = async (prefix: number[], limit = 64) =>
          (await storage.messages.targetsWithPrefix(Uint8Array.from(prefix), limit)).map((b) => [
            ...b,
          ])
        assert.deepEqual(await found([1]), [
          [1, 0],
          [1, 0xfe],
          [1, 0xff],
          [1, 0xff, 0xff],
        ])
        assert.deepEqual(await found([1, 0xff]), [[1, 0xff, 0xff]])
        assert.deepEqual(await found([1], 2), [
          [1, 0],
          [1, 0xfe],
        ])
        assert.equal((await found([3])).length, 0)
      })

      test('messages that mention a fid are listed until they are removed', async () => {
        const rows = messageRows(30, (i) => ({
          fid: 1 + (i % 2),
          timestamp: 100 + (i % 3),
          mentions: i % 4 === 0 ? [] : [9, 1000 + i],
        }))
        await insert(rows)
        const mentioning = inOrder(rows.filter(({ mentions }) => mentions.length > 0))
        await checkPages(mentioning, (page) => storage.messages.listByMention(9, page))
        await checkPages([rows[1]!], (page) => storage.messages.listByMention(1001, page))
        await remove(rows.filter((_, i) => i % 4 === 1))
        await checkPages(
          mentioning.filter((row) => rows.indexOf(row) % 4 !== 1),
          (page) => storage.messages.listByMention(9, page),
        )
        await checkPages([], (page) => storage.messages.listByMention(1001, page))
      })

      test('messages are counted for each author and message set', async () => {
        const rows = messageRows(12, (i) => ({ fid: 1 + (i % 2), store: 1 + (i % 3) }))
        await insert(rows)
        assert.deepEqual(await usageOf(storage, 1), [
          [1, 2],
          [2, 2],
          [3, 2],
        ])
        assert.equal(await storage.messages.count(), 12)
        await remove(rows.slice(0, 7))
        assert.deepEqual(await usageOf(storage, 1), [
          [1, 0],
          [2, 1],
          [3, 1],
        ])
        assert.equal(await storage.messages.count(), 5)
        const both = await storage.messages.usage([2, 1, 2, 77])
        assert.equal(both.length, 6)
      })

      test('the oldest messages of several lists are found with one call', async () => {
        const rows = messageRows(40, (i) => ({
          fid: 1 + (i % 2),
          store: 1 + ((i >> 1) % 2),
          timestamp: i % 5 === 0 ? 0 : 100 - i,
        }))
        await insert(rows)
        const of = (fid: number, store: number) =>
          inOrder(rows.filter((row) => row.fid === fid && row.store === store))
        const oldest = await storage.messages.oldest([
          { fid: 1, store: 1, excess: 3 },
          { fid: 2, store: 2, excess: 100 },
          { fid: 2, store: 1, excess: 0 },
          { fid: 77, store: 1, excess: 5 },
        ])
        assert.deepEqual(ids(oldest), ids(inOrder([...of(1, 1).slice(0, 3), ...of(2, 2)])))
        assert.equal((await storage.messages.oldest([])).length, 0)
      })

      test('messages are visited in id order, all of them or those that one key signed', async () => {
        const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
        const rows = messageRows(20, (i) => ({ fid: i < 15 ? 5 : 6, signer: keys[i % 2]! }))
        await insert(rows.toReversed())
        assert.deepEqual(ids(await storage.messages.scan(3, 4)), [4, 5, 6, 7])
        const list = { fid: 5, store: 1, signer: keys[0]! }
        const signed = await storage.messages.listByFid(list, { size: 20 })
        const theirs = rows.filter(({ fid, signer }) => fid === 5 && signer === keys[0])
        assert.deepEqual(ids(signed.items), ids(inOrder(theirs)))
      })

      test('a page token of another list is refused', async () => {
        for (const length of [1, 23, 25, 28]) {
          const page = { size: 1, token: new Uint8Array(length) }
          const list = { fid: 5, store: 1, types: [1] }
          await assert.rejects(storage.messages.listByFid(list, page), Rejection)
        }
        const page = { size: 1, token: new Uint8Array(24) }
        await assert.rejects(storage.messages.listByMention(5, page), Rejection)
        await assert.rejects(storage.accounts.listFids(page), Rejection)
      })

      test('thousands of messages can be added and removed in one call', async () => {
        const rows = messageRows(LONG, (i) => ({ mentions: [i] }))
        await insert(rows)
        assert.equal((await storage.messages.bySlots(rows.map(({ slot }) => slot))).length, LONG)
        const [list] = [{ fid: 5, store: 1, excess: LONG }]
        assert.equal((await storage.messages.oldest([list])).length, LONG)
        await remove(rows)
        assert.equal(await storage.messages.count(), 0)
        assert.equal((await storage.messages.scan(0, 10)).length, 0)
        await checkPages([], (page) => storage.messages.listByMention(7, page))
      })
    })

    describe('events', () => {
      const append = (events: Parameters<Writer['events']['append']>[0]) =>
        write((tx) => tx.events.append(events))

      test('events contain the message while it is stored, and its bytes afterwards', async () => {
        const row = messageRow(7)
        const bytes = NASTY_BYTES[3]!
        await insert([row])
        await append([{ id: 7, type: 1, deleted: bytes }])
        const [live] = await storage.events.list(0, 9)
        const { fid, type, timestamp, form, hash, signer, signature, data } = live!.merged!
        const sent = { fid, type, timestamp, form, hash, signer, signature, data }
        for (const [column, value] of Object.entries(sent)) {
          assert.deepEqual(plain(value), plain(row[column as keyof typeof sent]), column)
        }
        assert.deepEqual([plain(live!.deleted), live!.message], [plain(bytes), null])
        await write(async (tx) => {
          await tx.events.keepMessages([{ id: 7, message: bytes }])
          await tx.messages.remove([row])
        })
        const kept = await storage.events.byId(7)
        assert.equal(kept?.merged, undefined)
        assert.deepEqual(plain(kept?.message), plain(bytes))
      })

      test('events are read from an id on, in order', async () => {
        await append([9, 2, 5, LATE_ID].map((id) => ({ id, type: 3, body: NASTY_BYTES[4]! })))
        assert.deepEqual(ids(await storage.events.list(0, 9)), [2, 5, 9, LATE_ID])
        assert.deepEqual(ids(await storage.events.list(3, 2)), [5, 9])
        assert.deepEqual(ids(await storage.events.list(LATE_ID, 2)), [LATE_ID])
        assert.deepEqual(plain((await storage.events.byId(5))!.body), plain(NASTY_BYTES[4]!))
        assert.equal(await storage.events.byId(6), undefined)
        const sizes = async (maxBytes: number) => ids(await storage.events.list(0, 9, maxBytes))
        assert.deepEqual(await sizes(1), [2])
        assert.deepEqual(await sizes(500), [2, 5])
        assert.deepEqual(await sizes(1e9), [2, 5, 9, LATE_ID])
        assert.deepEqual(ids(await storage.events.list(3, 2, 1e9)), [5, 9])
        assert.deepEqual(await storage.events.list(LATE_ID + 1, 2, 1e9), [])
      })

      test('events never share an id', async () => {
        await append([{ id: 1, type: 1 }])
        await assert.rejects(append([{ id: 1, type: 1 }]))
      })

      test('events are pruned from the oldest on, in batches', async () => {
        assert.equal(await storage.events.oldestId(), undefined)
        await append(Array.from({ length: 10 }, (_, i) => ({ id: i + 1, type: 1 })))
        assert.equal(await write((tx) => tx.events.prune(8, 4)), 4)
        assert.equal(await storage.events.oldestId(), 5)
        assert.equal(await write((tx) => tx.events.prune(8, 4)), 3)
        assert.equal(await write((tx) => tx.events.prune(8, 4)), 0)
        assert.deepEqual(ids(await storage.events.list(0, 9)), [8, 9, 10])
      })

      test('events keep the bytes of thousands of messages in one statement', async () => {
        const list = Array.from({ length: LONG }, (_, i) => ({ id: i + 1, type: 1 }))
        const message = Buffer.alloc(200, 5)
        await append(list)
        await write((tx) => tx.events.keepMessages(list.map(({ id }) => ({ id, message }))))
        const kept = await storage.events.list(0, LONG)
        assert.ok(kept.every((event) => event.message?.length === 200))
      })

      test('event ids only grow, whatever the clock does, also after a restart', async () => {
        const now = Date.UTC(2026, 0, 1)
        const logged = (nowMs: number, count: number) =>
          write(async (tx) => {
            const log = new EventLog(tx, nowMs)
            const given = Array.from({ length: count }, () => log.nextId())
            for (const id of given) log.append({ id, type: 1 })
            await log.flush()
            return given
          })
        const given = [...(await logged(now, 3)), ...(await logged(now - 60_000, 5_000))]
        await reopen()
        given.push(...(await logged(0, 2)), ...(await logged(now + 1, 1)))
        assert.ok(given.every((id, i) => i === 0 || id > given[i - 1]!))
        assert.equal(await storage.events.newestId(), given.at(-1))
        assert.deepEqual(ids(await storage.events.list(0, given.length)), given)
      })
    })

    describe('names', () => {
      const proof = (name: Uint8Array | string, fid: number, timestamp = 1) => ({
        name: Buffer.from(name),
        fid,
        owner: Buffer.alloc(20, fid),
        timestamp,
        signature: Buffer.alloc(65, timestamp),
      })

      test('a name has one holder, the last one stored', async () => {
        const [a, b] = [proof('a', 1), proof('b', 1)]
        await write((tx) => tx.nameProofs.put([b, a]))
        assert.deepEqual((await storage.nameProofs.byFid(1)).map(plain), [plain(a), plain(b)])
        const moved = proof('a', 2, MAX_INTEGER)
        await write((tx) => tx.nameProofs.put([moved]))
        assert.deepEqual(plain(await storage.nameProofs.byName(a.name)), plain(moved))
        assert.deepEqual((await storage.nameProofs.byFid(1)).map(plain), [plain(b)])
        assert.equal(await storage.nameProofs.count(), 2)
        assert.equal(await storage.nameProofs.byName(Buffer.from('ab')), undefined)
      })

      test('names may be any bytes', async () => {
        const names = NASTY_BYTES.map((bytes, i) => proof(bytes, i + 1))
        await write((tx) => tx.nameProofs.put(names))
        const found = await storage.nameProofs.byNames([...NASTY_BYTES, Buffer.from('no')])
        assert.deepEqual(found.map(({ fid }) => fid).sort(), [1, 2, 3, 4, 5])
      })
    })

    describe('accounts', () => {
      const address = (n: number) => Buffer.alloc(20, n)
      const custody = (fid: number, owner: number, block_number = 1, log_index = 0) => ({
        fid,
        address: address(owner),
        block_number,
        log_index,
        recovery: address(0),
        recovery_block: -1,
        recovery_log: -1,
      })
      const key = (n: number) => Buffer.alloc(32, n)
      const signer = (fid: number, n: number, active: 0 | 1, log_index = n) => ({
        fid,
        key: key(n),
        active,
        block_number: 1,
        log_index,
      })
      const event = (fid: number, type: number, block_number: number, log_index: number) => ({
        fid,
        type,
        block_number,
        log_index,
        body: NASTY_BYTES[4]!,
      })

      test('accounts have one custody address each, and are found by fid and by address', async () => {
        await write((tx) =>
          tx.accounts.putCustodies([custody(1, 1), custody(2, 2), custody(3, 2, 5)]),
        )
        assert.deepEqual(plain(await storage.accounts.custody(1)), plain(custody(1, 1)))
        assert.equal(await storage.accounts.custody(9), undefined)
        assert.equal((await storage.accounts.byAddress(address(2)))?.fid, 3)
        assert.equal(await storage.accounts.byAddress(address(9)), undefined)
        const found = await storage.accounts.byAddresses([address(1), address(2), address(9)])
        assert.deepEqual(found.map(({ fid }) => fid).sort(), [1, 2, 3])
        await write((tx) => tx.accounts.putCustodies([custody(1, 7, MAX_INTEGER)]))
        assert.deepEqual(
          plain(await storage.accounts.custody(1)),
          plain(custody(1, 7, MAX_INTEGER)),
        )
        assert.equal((await storage.accounts.custodies([1, 1, 2, 9])).length, 2)
        assert.deepEqual(
          [await storage.accounts.newestFid(), await storage.accounts.count()],
          [3, 3],
        )
      })

      test('accounts are listed by fid in both directions', async () => {
        const fids = [1, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1]
        assert.equal(await storage.accounts.newestFid(), 0)
        await write((tx) => tx.accounts.putCustodies(fids.map((fid) => custody(fid, 1))))
        await checkPages(fids, (page) => storage.accounts.listFids(page))
      })

      test('accounts have keys with a state', async () => {
        const signers = [signer(1, 1, 1), signer(1, 2, 1), signer(1, 3, 0), signer(2, 1, 1)]
        await write(async (tx) => {
          await tx.accounts.putSigners(signers)
          await tx.accounts.putCustodies([custody(1, 1)])
          await tx.accounts.insertEvents([event(1, 1, 1, 1), event(1, 1, 1, 2), event(1, 1, 1, 3)])
        })
        assert.deepEqual(plain(await storage.accounts.signer(1, key(3))), plain(signers[2]))
        assert.equal(await storage.accounts.signer(3, key(3)), undefined)
        assert.equal(await storage.accounts.activeSignerCount(1), 2)
        const asked = [
          { fid: 1, key: key(1) },
          { fid: 1, key: key(3) },
          { fid: 1, key: key(9) },
          { fid: 2, key: key(1) },
        ]
        const statuses = await storage.accounts.signerStatuses(asked)
        assert.deepEqual(
          asked.map((of) => {
            const found = statuses.find((s) => s.fid === of.fid && of.key.equals(s.key))
            return [found?.registered, found?.active]
          }),
          [
            [true, true],
            [true, false],
            [true, false],
            [false, true],
          ],
        )
        assert.equal((await storage.accounts.signers(asked)).length, 3)
        const active = [event(1, 1, 1, 1), event(1, 1, 1, 2)].map(({ log_index }) => log_index)
        for (const reverse of [false, true]) {
          const expected = reverse ? active.toReversed() : active
          for (const size of [1, 2, 3]) {
            const found = await allOf(size, reverse, (page) =>
              storage.accounts.listActiveSigners(1, page),
            )
            assert.deepEqual(
              found.map(({ log_index }) => log_index),
              expected,
            )
          }
        }
        await write((tx) => tx.accounts.putSigners([signer(1, 1, 0, 9)]))
        assert.equal(await storage.accounts.activeSignerCount(1), 1)
      })

      test('accounts have each event once, by type, block and log', async () => {
        const events = [
          event(1, 3, 2, 1),
          event(1, 3, 1, 9),
          event(1, 3, 2 ** 32 - 1, 0),
          event(1, 3, 1, 10),
          event(1, 4, 1, 9),
          event(2, 3, 1, 9),
        ]
        await write((tx) => tx.accounts.insertEvents(events))
        await assert.rejects(write((tx) => tx.accounts.insertEvents([event(1, 4, 1, 9)])))
        const inChainOrder = [events[1]!, events[3]!, events[0]!, events[2]!]
        await checkPages(inChainOrder, (page) => storage.accounts.listEvents(1, 3, page))
        assert.deepEqual(plain(await storage.accounts.event(events[4]!)), plain(events[4]))
        const known = await storage.accounts.hasEvents([events[0]!, event(1, 3, 2, 2)])
        assert.deepEqual(known.map(plain), [{ fid: 1, type: 3, block_number: 2, log_index: 1 }])
        const of = [
          { fid: 1, type: 3 },
          { fid: 2, type: 3 },
          { fid: 3, type: 3 },
        ]
        assert.equal((await storage.accounts.eventsOf(of)).length, 5)
      })

      test('the storage rents of an account are listed', async () => {
        const rent = {
          fid: 1,
          block_number: 1,
          log_index: 0,
          rented_at: 1_700_000_000,
          units: 3,
          ends_at: 0,
        }
        const more = [rent, { ...rent, log_index: 1 }, { ...rent, fid: 2 }]
        await write((tx) => tx.accounts.insertRents(more))
        assert.equal((await storage.accounts.rents([1, 1, 9])).length, 2)
        assert.deepEqual((await storage.accounts.rents([2])).map(plain), [more[2]])
      })
    })

    test('the ledger stores nonces, and its calls in order', async () => {
      const address = Buffer.alloc(20, 1)
      const nonces = NASTY_TEXTS.map((contract, nonce) => ({ contract, address, nonce }))
      await write((tx) => tx.ledger.putNonces(nonces))
      for (const { contract, nonce } of nonces) {
        assert.equal(await storage.ledger.nonce(contract, address), nonce)
      }
      await write((tx) => tx.ledger.putNonces([{ contract: '"', address, nonce: MAX_INTEGER }]))
      const asked = [
        { contract: '"', address },
        { contract: 'other', address },
      ]
      assert.deepEqual((await storage.ledger.nonces(asked)).map(plain), [
        plain({ contract: '"', address, nonce: MAX_INTEGER }),
      ])
      const pending = NASTY_BYTES.map((body, i) => ({ confirm_at: 100 - i, body }))
      await write((tx) => tx.ledger.insertPending(pending.slice(0, 2)))
      await write((tx) => tx.ledger.insertPending(pending.slice(2)))
      const waiting = await storage.ledger.pending(10)
      assert.deepEqual(
        waiting.map(({ body }) => plain(body)),
        NASTY_BYTES.map(plain),
      )
      await write((tx) => tx.ledger.removePending(waiting[1]!.seq))
      assert.deepEqual(await storage.ledger.pendingCount(), 3)
      assert.deepEqual(ids2(await storage.ledger.pending(2)), ids2(waiting.slice(2, 4)))
    })

    test('cursors may be any text', async () => {
      for (const text of NASTY_TEXTS) {
        await write((tx) => tx.cursors.put(`name ${text}`, text))
        assert.equal(await storage.cursors.get(`name ${text}`), text)
      }
      await write((tx) => tx.cursors.put('name ', 'other'))
      assert.equal(await storage.cursors.get('name '), 'other')
      assert.equal(await storage.cursors.get('missing'), undefined)
    })

    test('empty lists of arguments read and change nothing', async () => {
      assert.equal((await storage.messages.bySlots([])).length, 0)
      assert.equal((await storage.messages.usage([])).length, 0)
      assert.equal((await storage.accounts.signerStatuses([])).length, 0)
      assert.equal((await storage.accounts.hasEvents([])).length, 0)
      assert.equal((await storage.nameProofs.byNames([])).length, 0)
      assert.equal((await storage.ledger.nonces([])).length, 0)
      await write(async (tx) => {
        await tx.messages.insert([])
        await tx.messages.remove([])
        await tx.events.append([])
        await tx.events.keepMessages([])
        await tx.accounts.insertEvents([])
        await tx.accounts.putCustodies([])
        await tx.nameProofs.put([])
        await tx.ledger.putNonces([])
        await tx.ledger.insertPending([])
      })
      assert.equal((await storage.events.list(0, 9)).length, 0)
    })

    describe('transactions', () => {
      test('a transaction that throws stores nothing', async () => {
        const failed = new Error('no')
        await assert.rejects(
          write(async (tx) => {
            await tx.messages.insert(messageRows(5, () => ({ mentions: [9] })))
            await tx.events.append([{ id: 1, type: 1 }])
            await tx.cursors.put('a', 'b')
            throw failed
          }),
          (error) => error === failed,
        )
        assert.equal(await storage.messages.count(), 0)
        assert.equal((await storage.messages.scan(0, 9)).length, 0)
        assert.equal((await storage.events.list(0, 9)).length, 0)
        assert.equal(await storage.cursors.get('a'), undefined)
        assert.notEqual(await storage.events.newestId(), 77)
        await write((tx) => tx.cursors.put('a', 'c'))
        assert.equal(await storage.cursors.get('a'), 'c')
      })

      test('a transaction with a failed statement stores nothing', async () => {
        const row = messageRow(1)
        await assert.rejects(
          write((tx) =>
            Promise.all([tx.cursors.put('a', 'b'), tx.messages.insert([row, { ...row, id: 2 }])]),
          ),
        )
        assert.equal(await storage.cursors.get('a'), undefined)
        assert.equal(await storage.messages.count(), 0)
      })

      test('a transaction sees its own writes, and others see them only after it ends', async () => {
        await write(async (tx) => {
          await tx.cursors.put('a', 'b')
          await tx.messages.insert(messageRows(3))
          assert.equal(await tx.cursors.get('a'), 'b')
          assert.equal(await tx.messages.count(), 3)
          assert.equal(await storage.cursors.get('a'), undefined)
          assert.equal(await storage.messages.count(), 0)
          assert.equal((await storage.messages.scan(0, 9)).length, 0)
        })
        assert.equal(await storage.messages.count(), 3)
      })

      test('two transactions that write never overlap', async () => {
        await checkNoOverlap([storage])
      })

      test('new ids are above the newest id of their table, also when that row was deleted', async () => {
        assert.equal(await write(async (tx) => tx.newestId), await storage.events.newestId())
        const first = (await storage.events.newestId()) + 1
        const ids = [first, first + 1, first + 2]
        await write((tx) => tx.events.append(ids.map((id) => ({ id, type: 1 }))))
        assert.equal(await storage.events.newestId(), first + 2)
        assert.equal(await write((tx) => tx.events.prune(MAX_INTEGER, 10)), 3)
        assert.equal(await write(async (tx) => tx.newestId), first + 2)
        await storage.reset()
        assert.equal(await write(async (tx) => tx.newestId), first + 2)
        assert.equal(await storage.events.newestId(), first + 2)
      })
    })

    test('written data is there after the store was closed and opened again', async () => {
      const rows = messageRows(3)
      await insert(rows)
      await reopen()
      assert.deepEqual((await storage.messages.scan(0, 9)).map(plain), rows.map(stored))
      assert.ok((await storage.sizeBytes()) > 0)
      await storage.ping()
    })

    test('a store of another network is refused, and both networks are named', async () => {
      await storage.close()
      await assert.rejects(place.open('1'), (error: Error) => {
        assert.ok(error instanceof WrongNetworkError)
        assert.match(error.message, /belongs to the network 3, .* say 1\b/)
        return true
      })
      storage = await place.open()
    })
  })
}

/** Increments a counter under the lock from all stores at once: an overlap would lose an increment. */
export async function checkNoOverlap(stores: readonly Storage[]): Promise<void> {
  const turns = 20
  let inside = 0
  await stores[0]!.write('hub', (tx) => tx.cursors.put('turns', '0'))
  await Promise.all(
    Array.from({ length: turns }, (_, i) =>
      stores[i % stores.length]!.write('hub', async (tx) => {
        assert.equal(++inside, 1)
        const before = Number(await tx.cursors.get('turns'))
        await sleep(1)
        await tx.cursors.put('turns', String(before + 1))
        inside--
      }),
    ),
  )
  assert.equal(await stores[0]!.cursors.get('turns'), String(turns))
}

const SEPARATOR = Uint8Array.of(1)

function messageRow(id: number, given: Partial<NewMessage> = {}): NewMessage {
  const hash = given.hash ?? scrambled(id)
  const row = { id, fid: 5, store: 1, type: 1, timestamp: 100, target: null, form: 3, mentions: [] }
  const bytes = { signer: Buffer.alloc(32, 1), signature: Buffer.alloc(64, 2) }
  const unique = Buffer.concat([Buffer.from(`${given.fid ?? 5}/${id}/`), hash])
  return { ...row, ...bytes, hash, slot: unique, data: Buffer.from(`data of ${id}`), ...given }
}

export function messageRows(
  count: number,
  vary: (index: number) => Partial<NewMessage> = () => ({}),
): NewMessage[] {
  return Array.from({ length: count }, (_, i) => {
    const given = vary(i)
    return messageRow(given.id ?? i + 1, given)
  })
}

/** 20 pseudo-random bytes, the same for the same id. */
function scrambled(id: number): Uint8Array {
  const bytes = Buffer.alloc(20)
  bytes.writeUInt32BE(Math.imul(id, 0x9e3779b1) >>> 0)
  bytes.writeUInt32BE(id >>> 0, 4)
  return bytes
}

/** The row without columns that are stored elsewhere. */
function stored({ mentions: _, ...row }: NewMessage): unknown {
  return plain(row)
}

/** The same with every kind of byte array as hex, so that rows of both engines compare. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
}

const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)
const ids2 = (rows: readonly { seq: number }[]) => rows.map(({ seq }) => seq)

function inOrder<T extends StoredMessage>(rows: readonly T[]): T[] {
  return rows.toSorted(
    (a, b) => a.timestamp - b.timestamp || Buffer.compare(a.hash, b.hash) || a.fid - b.fid,
  )
}

async function usageOf(storage: Storage, fid: number): Promise<number[][]> {
  const usage = await storage.messages.usage([fid])
  return usage.map(({ store, count }) => [store, count]).sort((a, b) => a[0]! - b[0]!)
}

type Listing<T> = (page: PageRequest) => Promise<Page<T>>

/** Every page size in both directions: the joined pages are the list, and the last one has no token. */
async function checkPages<T>(expected: readonly unknown[], list: Listing<T>): Promise<void> {
  const keyOf = (item: unknown) => plain(pickId(item))
  for (const reverse of [false, true]) {
    const whole = reverse ? expected.toReversed() : expected
    for (const size of [1, 2, 3, 7, expected.length, expected.length + 1].filter(Boolean)) {
      const found = await allOf(size, reverse, list)
      assert.deepEqual(found.map(keyOf), whole.map(keyOf), `pages of ${size}`)
    }
  }
}

const pickId = (item: unknown) =>
  typeof item === 'object' && item && 'id' in item ? item.id : item

async function allOf<T>(size: number, reverse: boolean, list: Listing<T>): Promise<T[]> {
  const found: T[] = []
  for (let token: Uint8Array | undefined; ; ) {
    const page = await list({ size, token, reverse })
    assert.ok(page.items.length <= size)
    found.push(...page.items)
    if (!page.next) return found
    assert.equal(page.items.length, size)
    token = page.next
  }
}
