import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { BundledSelect, Row, SqlValue } from './sql.ts'
import { openDerivedSqlite, type SqliteEngine } from './sqlite.ts'

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, i) => i)
const NUMBERS = [0, 1, -1, 255, 2 ** 31, -(2 ** 31), 2 ** 32 - 1, 2 ** 32, -(2 ** 32), 2 ** 53 - 1]
const ROWS: readonly SqlValue[][] = [
  [0, null, null, null, null],
  [1, 0, new Uint8Array(0), -7, EVERY_BYTE],
  // No text of UTF-8 is like this.
  [2, 5, Uint8Array.of(0), null, Uint8Array.of(0xff, 0xfe, 0, 0xc3)],
  [3, -(2 ** 53) + 1, new Uint8Array(70_000).fill(0xed), 9, new Uint8Array(0)],
  ...NUMBERS.map((number, i) => [4 + i, number, Uint8Array.of(i), -number, null]),
]

const select = (rest: string): BundledSelect => ({
  columns: { id: 'bigint', size: 'bigint', body: 'bytea', other: 'bigint', tail: 'bytea' },
  text: `select id, size, body, other, tail from thing where id >= ? order by ${rest} limit (? + 0)`,
})

const plain = (rows: readonly Row[]) =>
  rows.map((row) =>
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
    ]),
  )

function openStore(t: TestContext): SqliteEngine {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-bundles-'))
  const engine = openDerivedSqlite(join(directory, 'store.sqlite'))
  t.after(async () => {
    await engine.close()
    rmSync(directory, { recursive: true })
  })
  return engine
}

test('rows that come as one value are those of the select', async (t) => {
  const engine = openStore(t)
  const { bytes } = engine.dialect
  await engine.transaction(async (sql) => {
    await sql.all(
      `create table thing (id bigint primary key, size bigint, body ${bytes}, other bigint, tail ${bytes})`,
    )
    for (const row of ROWS) await sql.all('insert into thing values (?, ?, ?, ?, ?)', row)
    // A transaction reads what it has written.
    assert.equal((await sql.bundled(select('id'), [0, 100])).length, ROWS.length)
  })
  const largestFirst = 'other is null, other desc, id desc'
  for (const [order, from, limit] of [
    ['id', 0, 100],
    ['id desc', 0, 100],
    [largestFirst, 0, 5],
    ['id', 3, 1],
    ['id', 0, 0],
    ['id', 100, 100],
  ] as const) {
    const { text } = select(order)
    const found = await engine.bundled(select(order), [from, limit])
    assert.deepEqual(plain(found), plain(await engine.all(text, [from, limit])), order)
    assert.equal(found.length, Math.min(limit, Math.max(0, ROWS.length - from)))
  }
})

test('a text among byte strings moves no bytes to another row, and a number that is not exact is refused', async (t) => {
  const engine = openStore(t)
  const valuesOf = (size: string, body: string) => ({
    columns: { size: 'bigint', body: 'bytea' } as const,
    text: `select ${size} as size, ${body} as body union all select 2, x'0102'`,
  })
  const [first, second] = await engine.bundled(valuesOf('1', "'ä'"))
  assert.deepEqual(
    [first, second].map((row) => Buffer.from(row!.body as Uint8Array).toString('hex')),
    ['c3a4', '0102'],
  )
  for (const size of ['9007199254740993', '1.5', '1e999']) {
    await assert.rejects(engine.bundled(valuesOf(size, "x''")), /size/)
  }
})
