// SQLite runs writes of lists row by row. The oracle is the same statement with its rows in a table `input`.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { insertStatement, type SqlValue, updateStatement } from './sql.ts'

const COLUMNS = { name: 'text', size: 'bigint', body: 'bytea' } as const
const ROWS: SqlValue[][] = [
  ['a', 1, Uint8Array.of(0, 255)],
  ['b', 2 ** 40, null],
  ['a', 3, Uint8Array.of()],
  ["c'?1", -4, Uint8Array.of(7)],
]

const insertThing = (rest = '') => insertStatement('thing', COLUMNS, { also: { times: 1 }, rest })
const WRITES = {
  'an insert': insertStatement('free', COLUMNS),
  'an insert that gives a value to two columns': insertStatement('free', COLUMNS, {
    also: { other: 'size' },
  }),
  'an insert where there is room': insertThing('on conflict (name) do nothing'),
  'an insert that adds to what is there': insertThing(
    `on conflict (name) do update set size = thing.size + excluded.size, times = thing.times + 1
     where thing.size < excluded.size`,
  ),
  'an insert that returns rows': insertThing(
    'on conflict (name) do nothing returning name, size, times',
  ),
  'an update': updateStatement(
    'thing',
    COLUMNS,
    ({ size, body }) => `size = thing.size + ${size}, body = ${body}, times = 0`,
    ({ name }) => `thing.name = ${name}`,
  ),
}

/** What a statement returns and leaves behind. */
function resultOf(text: string): unknown {
  const database = new DatabaseSync(':memory:')
  database.exec(
    'create table thing (name text primary key, size integer, body blob, times integer)',
  )
  database.exec('create table free (name text, size integer, body blob, other integer)')
  database.exec("insert into thing values ('b', 5, x'01', 9)")
  const write = database.prepare(text)
  const returned = ROWS.map((row) => write.all(...row))
  const left = [
    database.prepare('select *, typeof(size) from thing order by name').all(),
    database.prepare('select *, typeof(size) from free').all(),
  ]
  database.close()
  return { returned, left }
}

for (const [what, { text, rowText }] of Object.entries(WRITES)) {
  test(`${what} does with its values what it does with its rows`, () => {
    const withInput = `with input(name, size, body) as (values (?, ?, ?)) ${text}`
    assert.deepEqual(resultOf(rowText!), resultOf(withInput))
  })
}
