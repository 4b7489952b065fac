// Writes of lists are given their values. The oracle is the same statement with its rows in a table `input`.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { inWordsOf, type ListStatement, listStatement, type SqlValue } from './sql.ts'
import { textOfList, withInputRow } from './sqlite-lists.ts'

const COLUMNS = { name: 'text', size: 'bigint', body: 'bytea' } as const
const ROWS: SqlValue[][] = [
  ['a', 1, Uint8Array.of(0, 255)],
  ['b', 2 ** 40, null],
  ['a', 3, Uint8Array.of()],
  ["c'?1", -4, Uint8Array.of(7)],
]

const insertThing = (rest = '') =>
  listStatement(
    COLUMNS,
    `insert into thing (name, size, body, times)
     select name, size, body, 1 from input where true ${rest}`,
  )
const WRITES = {
  'an insert': listStatement(
    COLUMNS,
    'insert into free (name, size, body) select name, size, body from input where true ',
  ),
  'an insert where there is room': insertThing('on conflict (name) do nothing'),
  'an insert that adds to what is there': insertThing(
    `on conflict (name) do update set size = thing.size + excluded.size, times = thing.times + 1
     where thing.size < excluded.size`,
  ),
  'an insert that returns rows': insertThing(
    'on conflict (name) do nothing returning name, size, times',
  ),
  'an update': listStatement(
    COLUMNS,
    `update thing set size = thing.size + i.size, body = i.body, times = 0
      from input i where thing.name = i.name`,
  ),
}

/** What a statement returns and leaves behind. */
function resultOf(text: string): unknown {
  const database = new DatabaseSync(':memory:')
  database.exec(
    'create table thing (name text primary key, size integer, body blob, times integer)',
  )
  database.exec('create table free (name text, size integer, body blob)')
  database.exec("insert into thing values ('b', 5, x'01', 9)")
  const write = database.prepare(inWordsOf('sqlite', text))
  const returned = ROWS.map((row) => write.all(...row))
  const left = [
    database.prepare('select *, typeof(size) from thing order by name').all(),
    database.prepare('select *, typeof(size) from free').all(),
  ]
  database.close()
  return { returned, left }
}

for (const [what, statement] of Object.entries(WRITES)) {
  test(`${what} does with its values what it does with its rows`, () => {
    const text = textOfList(statement)
    assert.doesNotMatch(text, /\binput\b/)
    assert.deepEqual(resultOf(text), resultOf(withInputRow(statement)))
  })
}

test('statements that read other tables, compute or leave a column out keep their rows', () => {
  const statements: ListStatement[] = [
    listStatement(COLUMNS, 'select t.* from input i join thing t on t.name = i.name'),
    listStatement(COLUMNS, 'insert into thing (name) select name from input'),
    listStatement(
      COLUMNS,
      'insert into thing (name, size, body) select name, size + 1, body from input',
    ),
    listStatement(
      COLUMNS,
      'insert into thing select i.* from input i join thing t on t.name = i.name',
    ),
    listStatement(COLUMNS, 'update thing set size = i.size from input i where thing.name = i.name'),
    listStatement({ name: 'text' }, 'delete from thing where name in (select name from input)'),
  ]
  for (const statement of statements) {
    assert.equal(textOfList(statement), withInputRow(statement))
  }
})
