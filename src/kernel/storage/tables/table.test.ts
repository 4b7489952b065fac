// What a declared table means, on both engines: most statements of the features are made here.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createDatabase, openPatient } from '../../../../test/postgres.ts'
import { ENGINES } from '../../../../test/world.ts'
import type { Engine } from '../engines/engine.ts'
import type { Sql } from '../engines/sql.ts'
import { openSqlite } from '../engines/sqlite.ts'
import type { Filter } from '../reads/newest-first.ts'
import { type After, type NewRowOf, type Row, table } from './table.ts'

const notes = table('note', {
  fid: { type: 'fid', key: true, erasure: 'empty', exported: true },
  name: { type: 'line', key: true, words: false },
  hash: { type: 'bytes', key: true },
  at: { type: 'seconds' },
  state: { type: 'line', values: ['open', 'done'] },
  title: { type: 'line', words: true },
  body: { type: 'text', null: true, words: true },
  token: { type: 'line', words: false, withheld: 'Who has it may act.' },
  writer: {
    type: 'fid',
    null: true,
    erasure: 'delete',
    exported: { not: 'Somebody else wrote it.' },
  },
  likes: { type: 'integer', counter: true },
})
type Note = Row<(typeof notes)['fields']>
type NewNote = NewRowOf<typeof notes>

const DDL = (bytes: string) => `create table note (
  fid bigint not null, name text not null, hash ${bytes} not null, at bigint not null, state text not null,
  title text not null, body text, token text not null, writer bigint, likes bigint not null, primary key (fid, name, hash))`

const LARGEST = Number.MAX_SAFE_INTEGER
const NOTE: NewNote = {
  ...{ fid: 1, name: 'a', hash: Uint8Array.of(1), at: 10, state: 'open' },
  ...{ title: 'a title', body: 'a body', token: 'secret', writer: null },
}
const note = (changes: Partial<NewNote>): NewNote => ({ ...NOTE, ...changes })
const stored = (changes: Partial<Note>): Note => ({ ...NOTE, likes: 0, ...changes })
const keyOf = ({ fid, name, hash }: NewNote) => ({ fid, name, hash })
const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name).sort()

/** Pages of a list, of one size, until one is not full. */
async function pagesOf<R>(
  size: number,
  read: (after: After) => Promise<R[]>,
  position: (row: R) => After,
): Promise<R[]> {
  const all: R[] = []
  for (let last: After; ; ) {
    const page = await read(last)
    all.push(...page)
    if (page.length < size) return all
    last = position(page.at(-1)!)
  }
}

for (const name of ENGINES) {
  describe(`a declared table on ${name}`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'rookery-table-'))
    let engine: Engine
    let drop = async () => {}
    before(async () => {
      if (name === 'postgres') {
        const database = await createDatabase('template0')
        drop = database.drop
        engine = openPatient(database.url)
      } else {
        engine = openSqlite(join(dir, 'rookery.sqlite'), { flushes: false })
      }
      const { bytes } = engine.dialect
      await engine.transaction((sql) => sql.all(DDL(bytes)))
    })
    after(async () => {
      await engine.close()
      await drop()
      rmSync(dir, { recursive: true })
    })
    /** A transaction over these rows alone. */
    const over = (rows: readonly NewNote[], work: (sql: Sql) => Promise<void>) =>
      engine.transaction(async (sql) => {
        await sql.all('delete from note')
        await notes.insert(sql, rows)
        await work(sql)
      })

    test('rows are read as they were written, whatever their values are', async () => {
      const rows = [
        note({ name: '', title: '', body: '', hash: new Uint8Array(0), at: 0 }),
        note({ name: "it's ? $1 %_", title: 'ÄÖ 😀\u0000\n', body: null, writer: LARGEST }),
        note({ fid: LARGEST, hash: Uint8Array.of(0, 128, 255), at: LARGEST, writer: 0 }),
      ]
      await over(rows, async (sql) => {
        for (const row of rows) {
          const found = await notes.find(sql, row.fid, row.name, row.hash)
          assert.deepEqual({ ...found, hash: Uint8Array.from(found!.hash) }, stored(row))
        }
        assert.equal(await notes.find(sql, 1, 'A', Uint8Array.of(1)), undefined)
        assert.equal(await notes.max(sql, 'at'), LARGEST)
        assert.equal(await notes.count(sql, 'where body is null'), 1)
      })
      await over([], async (sql) => assert.equal(await notes.max(sql, 'at'), 0))
    })

    test('rows are found by lists of keys and of values, and nothing by an empty list', async () => {
      const rows = ['a', 'b', 'c'].map((one, i) => note({ name: one, fid: 1 + (i % 2), at: i }))
      await over(rows, async (sql) => {
        assert.deepEqual(names(await notes.findAll(sql, rows.slice(1).map(keyOf))), ['b', 'c'])
        assert.deepEqual(names(await notes.findBy(sql, 'fid', [1, 1, 9])), ['a', 'a', 'c', 'c'])
        assert.deepEqual(names(await notes.findBy(sql, 'name', ['b', 'B'])), ['b'])
        assert.deepEqual(names(await notes.findBy(sql, 'hash', [Uint8Array.of(1)])), [
          'a',
          'b',
          'c',
        ])
        const pairs = [
          { fid: 1, name: 'a' },
          { fid: 2, name: 'a' },
        ]
        assert.deepEqual(names(await notes.findMatching(sql, ['fid', 'name'], pairs)), ['a'])
        for (const none of [
          await notes.findAll(sql, []),
          await notes.findBy(sql, 'fid', []),
          await notes.findMatching(sql, ['fid'], []),
        ]) {
          assert.deepEqual(none, [])
        }
      })
    })

    test('a taken key is refused by an insert, left as it is, or replaced without its counters', async () => {
      const [first, second] = [note({}), note({ name: 'b' })]
      await assert.rejects(
        over([first, first], async () => {}),
        /constraint/i,
      )
      await over([first], async (sql) => {
        await notes.add(sql, ['likes'], [], [{ ...keyOf(first), likes: 3 }])
        const added = await notes.insertNew(sql, [note({ title: 'other' }), second])
        assert.deepEqual(names(added), ['b'])
        await notes.upsert(sql, [note({ title: 'replaced', body: null }), note({ name: 'c' })])
        const left = await notes.select(sql, 'order by name')
        assert.deepEqual(
          left.map(({ name, title, body, likes }) => [name, title, body, likes]),
          [
            ['a', 'replaced', null, 3],
            ['b', 'a title', 'a body', 0],
            ['c', 'a title', 'a body', 0],
          ],
        )
      })
    })

    test('rows with the keys of a list are changed and removed, and no others', async () => {
      const rows = ['a', 'b', 'c', 'd'].map((one, i) => note({ name: one, fid: 1 + i, at: i }))
      const [a, b, c, d] = rows as [NewNote, NewNote, NewNote, NewNote]
      await over(rows, async (sql) => {
        const changes = [a, b].map((row, i) => ({ ...keyOf(row), title: `new ${i}`, body: null }))
        await notes.update(sql, ['title', 'body'], changes)
        await notes.add(sql, ['likes'], ['state'], [{ ...keyOf(b), likes: 2, state: 'done' }])
        await notes.add(sql, ['likes'], [], [{ ...keyOf(b), likes: -1 }])
        assert.deepEqual(
          (await notes.select(sql, 'order by name')).map(({ title, likes }) => [title, likes]),
          [
            ['new 0', 0],
            ['new 1', 1],
            ['a title', 0],
            ['a title', 0],
          ],
        )
        assert.equal(await notes.remove(sql, [keyOf(a), { ...keyOf(b), fid: a.fid }]), 1)
        assert.equal(await notes.removeBy(sql, 'name', ['b', 'x']), 1)
        assert.equal(await notes.removeBy(sql, 'fid', []), 0)
        assert.deepEqual(names(await notes.removeWhere(sql, 'at >= ? and body is not null', [3])), [
          'd',
        ])
        assert.deepEqual(names(await notes.select(sql)), [c.name])
        assert.equal(await notes.remove(sql, [keyOf(d)]), 0)
      })
    })

    test('pages by the key are in the order of bytes, each row once', async () => {
      const keys = ['', 'B', 'Z', 'a', 'a b', 'ab', 'b', 'ß', 'ä', '😀']
      const rows = keys.flatMap((one) =>
        [1, 2].map((fid) => note({ name: one, fid, hash: Uint8Array.of(fid, 255) })),
      )
      const inBytes = [...keys].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
      const wanted = [1, 2].flatMap((fid) => inBytes.map((one) => [fid, one]))
      await over(rows, async (sql) => {
        for (const size of [1, 3, keys.length, 100]) {
          const read = await pagesOf(
            size,
            (last) => notes.pageByKey(sql, last, size),
            ({ fid, name, hash }) => [fid, name, hash],
          )
          assert.deepEqual(
            read.map(({ fid, name }) => [fid, name]),
            wanted,
          )
        }
      })
    })

    for (const tiesDown of [false, true]) {
      test(`lists by time are newest first, with ties ${tiesDown ? 'down' : 'up'}, in pages of any size`, async () => {
        const rows = Array.from({ length: 24 }, (_, i) =>
          note({
            ...{ fid: 1 + (i % 3), name: `n${i % 4}`, hash: Uint8Array.of(i), at: i % 5 },
            state: i % 2 === 0 ? 'open' : 'done',
          }),
        )
        const list = notes.newestFirst({ time: 'at', ties: ['name', 'hash'], tiesDown })
        const sign = tiesDown ? -1 : 1
        const inOrder = (x: NewNote, y: NewNote) =>
          y.at - x.at ||
          sign * (x.name < y.name ? -1 : x.name > y.name ? 1 : x.hash[0]! - y.hash[0]!)
        const filters: Filter[] = [{}, { fid: 2 }, { state: 'done' }, { name: 'n1' }, { fid: 9 }]
        await over(rows, async (sql) => {
          for (const filter of filters) {
            const wanted = rows
              .filter((row) => Object.entries(filter).every(([k, v]) => row[k as 'fid'] === v))
              .sort(inOrder)
            for (const size of [1, 2, 11, 30]) {
              const read = await pagesOf(
                size,
                (last) => list(sql, filter, last, size),
                ({ at, name, hash }) => [at, name, hash],
              )
              assert.deepEqual(
                read.map(({ hash }) => hash[0]),
                wanted.map(({ hash }) => hash[0]),
              )
            }
          }
        })
      })
    }

    test('an erasure deletes what an account wrote and empties the words of its rows, up to its limit', async () => {
      const rows = [
        note({ fid: 2, name: 'own' }),
        note({ fid: 2, name: 'own too', body: null }),
        note({ fid: 2, name: 'empty', title: '', body: null }),
        note({ fid: 3, name: 'by it', writer: 2 }),
        note({ fid: 3, name: "another's", writer: 4 }),
      ]
      await over(rows, async (sql) => {
        const context = { sql, nextPlatformId: () => Promise.reject(new Error('none is needed')) }
        assert.equal(await notes.erase(context, 2, 2), 2, 'two at a time')
        assert.equal(await notes.erase(context, 2, 2), 1)
        assert.equal(await notes.erase(context, 2, 2), 0)
        assert.deepEqual(
          (await notes.select(sql, 'order by fid, name')).map(({ name, title, body }) => [
            ...[name, title, body],
          ]),
          [
            ['empty', '', null],
            ['own', '', null],
            ['own too', '', null],
            ["another's", 'a title', 'a body'],
          ],
        )
      })
    })

    test('the export of an account has its rows in pages, without what is withheld', async () => {
      const rows = [
        ...['a', 'b', 'c'].map((one) => note({ fid: 2, name: one })),
        note({ fid: 3, name: 'd', writer: 2 }),
      ]
      await over(rows, async (sql) => {
        const read = await pagesOf(
          2,
          (last) => notes.ownRows(sql, 2, last, 2),
          ({ key }) => key,
        )
        assert.deepEqual(
          read.map(({ values }) => values.name),
          ['a', 'b', 'c'],
        )
        assert.ok(read.every(({ values }) => !('token' in values) && values.title === 'a title'))
      })
    })
  })
}
