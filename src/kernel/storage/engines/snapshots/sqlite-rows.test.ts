// Rows of a copy are put back: each kind of table, only what differs, and what other connections have prepared stays.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { effort } from '../../../../../test/effort.ts'
import { randomFrom, runSeed } from '../../../../../test/random.ts'
import { openWholeStore } from '../../../../store.ts'
import { openDerivedSqlite } from '../sqlite.ts'
import { copyDatabase } from '../sqlite-content.ts'
import { openCopy } from './sqlite-rows.ts'

const TABLES = `
  create table plain (id integer primary key, word text unique, n);
  create table keyed (a text, b blob, n real, primary key (a, b)) without rowid;
  create table loose (word text);
  create table computed (id integer primary key, n integer, twice integer generated always as (n * 2) stored);
  create table kept (n integer primary key);
  create virtual table found using fts5(words, content='', contentless_delete=1, tokenize='ascii', detail=none);
  create index loose_word on loose (word)`
const LISTS = ['plain', 'keyed', 'loose', 'computed', 'kept'].map(
  (name) => `select * from ${name} order by 1`,
)
const MATCH = "select rowid from found where found match 'owl' order by rowid"

async function startedWith(t: TestContext, content: string) {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-rows-'))
  const file = join(directory, 'store.sqlite')
  const engine = openDerivedSqlite(file)
  const database = new DatabaseSync(file)
  database.exec(TABLES)
  database.exec(content)
  const copies = join(directory, 'copy.sqlite')
  await copyDatabase(file, copies)
  const copy = openCopy(file, copies, {
    ...{ flushes: false, isDerived: true },
    keptTables: ['kept'],
  })
  t.after(async () => {
    copy.close()
    database.close()
    await engine.close()
    rmSync(directory, { recursive: true })
  })
  const seen = () => [
    ...LISTS.map((text) => database.prepare(text).all()),
    database.prepare(MATCH).all(),
  ]
  const putBack = () =>
    copy.putBack(
      async () => {},
      async () => {},
    )
  return { directory, database, engine, copy, putBack, seen }
}

const CONTENT = `
  insert into plain values (1, 'owl', null), (2, 'lark', 1), (3, 'wren', x'00ff');
  insert into keyed values ('a', x'01', 0.5), ('a', x'02', null);
  insert into loose values ('one'), ('one'), (null);
  insert into computed (id, n) values (1, 4);
  insert into kept values (1);
  insert into found (rowid, words) values (1, 'owl lark'), (2, 'owl')`

test('every kind of table is put back, and those that are to stay do', async (t) => {
  const { database, putBack, seen } = await startedWith(t, CONTENT)
  const before = seen()
  database.exec(`
    update plain set word = 'owl 2' where id = 1; update plain set word = 'owl' where id = 3;
    insert into plain values (9, 'wren', 1); update plain set n = 1.5 where id = 2;
    delete from keyed where b = x'02'; update keyed set n = null; insert into keyed values ('b', x'', 1);
    delete from loose where rowid = 2; insert into loose values (null);
    update computed set n = 5; insert into kept values (2);
    delete from found where rowid = 2; insert into found (rowid, words) values (3, 'owl')`)
  assert.notDeepEqual(seen(), before)
  await putBack()
  const after = seen()
  assert.deepEqual(after.toSpliced(4, 1), before.toSpliced(4, 1))
  assert.equal(after[4]!.length, 2)
  // The index can be written, too.
  database.exec("insert into found (rowid, words) values (7, 'owl')")
  assert.deepEqual(
    database
      .prepare(MATCH)
      .all()
      .map(({ rowid }) => rowid),
    [1, 2, 7],
  )
  const { integrity_check } = database.prepare('pragma integrity_check').get()!
  assert.equal(integrity_check, 'ok')
})

test('what differs is written and nothing else, however large the rest is', async (t) => {
  const rows = Array.from({ length: 5_000 }, (_, i) => `(${i}, 'word ${i}', ${i})`)
  const { directory, database, putBack } = await startedWith(
    t,
    `insert into plain values ${rows.join(', ')}`,
  )
  assert.deepEqual(await putBack(), { removed: 0, added: 0 })
  database.exec("insert into plain values (9999, 'new', 1); update plain set n = 0 where id = 7")
  assert.deepEqual(await putBack(), { removed: 2, added: 1 })
  // Nothing is made beside the copy.
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith('copy')),
    ['copy.sqlite'],
  )
})

test('rows of large tables go back wherever they were written, also on pages of their own', async (t) => {
  const random = randomFrom(runSeed())
  const { database, putBack, seen } = await startedWith(
    t,
    `${CONTENT}; create table large (id integer primary key, word text unique, n);
     create table long (id integer primary key, word text);
     with recursive n(i) as (select 10 union all select i + 1 from n where i < 1500)
       insert into large select i, 'word ' || i, i from n;
     insert into long select id, printf('%.5000c', 'x') from large limit 1100`,
  )
  const all = () => [
    ...seen(),
    database.prepare('select * from large').all(),
    database.prepare('select id, length(word), substr(word, 4990) from long').all(),
  ]
  const before = all()
  await putBack()
  const changes = [
    (id: number) => `update large set n = -1 where id = ${id}`,
    (id: number) => `delete from large where id between ${id} and ${id + random.int(900)}`,
    (id: number) => `insert or replace into large values (${id}, 'word ${id + 1}', 0)`,
    (id: number) => `update or replace large set id = id + 100000 where id = ${id}`,
    // Of the same length, and other in the last byte alone: SQLite writes the last of its pages and no other.
    (id: number) => `update long set word = substr(word, 1, 4999) || 'y' where id = ${id}`,
    () => "insert or ignore into large (word) values ('one'), ('two'), ('three')",
    () => 'pragma wal_checkpoint(truncate)',
    () => 'pragma wal_checkpoint(restart)',
    () => 'delete from large',
    () => "insert or ignore into plain values (77, 'jay', 1)",
  ]
  for (let turn = 0; turn < effort(15, 300); turn++) {
    for (let n = random.int(4); n >= 0; n--) {
      database.exec(random.pick(changes)(10 + random.int(1_500)))
    }
    await putBack()
    assert.deepEqual(all(), before)
  }
})

test('rows are compared again once another connection has written, also after a revert that failed', async (t) => {
  const { database, copy, putBack, seen } = await startedWith(t, CONTENT)
  const before = seen()
  assert.deepEqual(await putBack(), { removed: 0, added: 0 })
  assert.equal(await putBack(), undefined)
  for (const text of ["insert into loose values ('x')", 'delete from keyed']) {
    database.exec(text)
    assert.notEqual(await putBack(), undefined)
    assert.deepEqual(seen(), before)
    assert.equal(await putBack(), undefined)
  }
  database.exec('pragma wal_checkpoint(truncate)')
  await putBack()
  database.exec('delete from loose')
  const failed = copy.putBack(
    async () => {},
    () => Promise.reject(new Error('no room')),
  )
  await assert.rejects(failed, /no room/)
  assert.notDeepEqual(seen(), before)
  assert.deepEqual(await putBack(), { removed: 0, added: 3 })
  assert.deepEqual(seen(), before)
})

test('between two tables the thread does other work, and a file of derived data is flushed as its other commits', async (t) => {
  const { database, copy } = await startedWith(t, CONTENT)
  database.exec('delete from plain; delete from loose')
  let isOther = false
  await copy.putBack(
    async (sql) => {
      assert.deepEqual(await sql.all('pragma synchronous'), [{ synchronous: 1 }])
      setImmediate(() => {
        isOther = true
      })
    },
    async () => assert.ok(isOther),
  )
})

test('the schemas have nothing that rows cannot be put back beside', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rookery-rows-'))
  const store = await openWholeStore({ dataDir, network: 'devnet', views: true })
  t.after(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true })
  })
  const files = readdirSync(dataDir).filter((name) => name.endsWith('.sqlite'))
  assert.equal(files.length, 2)
  const triggers: unknown[] = []
  for (const file of files) {
    const database = new DatabaseSync(join(dataDir, file), { readOnly: true })
    const ask = (text: string) => database.prepare(text).all()
    triggers.push(...ask("select name from sqlite_schema where type = 'trigger'"))
    // Text of another case would compare as the same, and a number of another kind in a column without a type.
    const unlike = "sql like '%collate%' or sql like '%autoincrement%'"
    assert.deepEqual(ask(`select name from sqlite_schema where ${unlike}`), [])
    const tables = ask('pragma main.table_list').filter(
      ({ name, type }) => type === 'table' && !String(name).startsWith('sqlite_'),
    )
    assert.ok(tables.length > 10)
    for (const { name } of tables) {
      const columns = database.prepare('select name, type from pragma_table_xinfo(?)').all(name!)
      assert.deepEqual(
        columns.filter(({ type }) => type === '' || type === 'numeric'),
        [],
        String(name),
      )
    }
    database.close()
  }
  // It adds the number of a key that has none, in a table that is not put back.
  assert.deepEqual(
    triggers.map((row) => ({ ...(row as object) })),
    [{ name: 'signer_number' }],
  )
})

test('the schema does not count as changed, so that no connection prepares its statements again', async (t) => {
  const { database, putBack } = await startedWith(t, CONTENT)
  const version = () => database.prepare('pragma schema_version').get()!.schema_version
  const before = version()
  database.exec("delete from plain; insert into found (rowid, words) values (3, 'owl')")
  await putBack()
  assert.equal(version(), before)
})

test('a failure at the end takes everything back, and the next time succeeds', async (t) => {
  const { database, copy, putBack, seen } = await startedWith(t, CONTENT)
  const before = seen()
  database.exec('delete from plain')
  const failing = copy.putBack(
    async (sql) => (await sql.all('select count(*) as n from plain'))[0]!.n,
    async (_, found) => {
      throw new Error(`there were ${found}`)
    },
  )
  await assert.rejects(failing, /there were 0/)
  assert.equal(database.prepare('select count(*) as n from plain').get()!.n, 0)
  await putBack()
  assert.deepEqual(seen(), before)
})
