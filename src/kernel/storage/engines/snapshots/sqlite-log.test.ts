// The log of SQLite tells which rows were written.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { LogReader } from './sqlite-log.ts'

function started(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-log-'))
  const file = join(directory, 'store.sqlite')
  const database = new DatabaseSync(file)
  t.after(() => {
    database.close()
    rmSync(directory, { recursive: true })
  })
  database.exec(`pragma journal_mode = wal; create table thing (id integer primary key, word text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
    insert into thing select i, 'thing ' || i from n`)
  const log = new LogReader(file)
  const isNamed = (id: bigint) => log.changes()?.some(([first, last]) => first <= id && id <= last)
  return { database, log, isNamed }
}

test('rows that were written are in the ranges of the log, and those far from them are not', (t) => {
  const { database, log, isNamed } = started(t)
  assert.equal(log.changes(), undefined, 'the first time nothing is known')
  assert.deepEqual(log.changes(), [])
  for (const id of [-(2n ** 63n), -1n, 7n, 4_999n, 5_001n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
    const put = database.prepare(
      "insert into thing values (?, 'new') on conflict do update set word = 'other'",
    )
    put.setReadBigInts(true)
    put.run(id)
    assert.equal(isNamed(id), true, `${id}`)
    put.run(id)
    assert.equal(isNamed(2_500n), false)
  }
  database.exec('delete from thing where id = 8')
  assert.equal(isNamed(7n), true, 'what is beside a row that has gone')
})

test('a log that has begun anew tells nothing once, and then again', (t) => {
  const { database, log, isNamed } = started(t)
  log.changes()
  for (const mode of ['restart', 'truncate']) {
    database.exec(`pragma wal_checkpoint(${mode})`)
    database.exec("update thing set word = 'other' where id = 7")
    assert.equal(log.changes(), undefined, mode)
    database.exec("update thing set word = 'third' where id = 7")
    assert.equal(isNamed(7n), true, mode)
  }
  log.forget()
  assert.equal(log.changes(), undefined)
})

test('what a transaction wrote and took back hides nothing that is written in its place', (t) => {
  const { database, log, isNamed } = started(t)
  log.changes()
  // With so small a memory the pages of a transaction are in the log before it ends.
  database.exec("pragma cache_size = 1; begin; update thing set word = 'taken back'; rollback")
  log.changes()
  database.exec("update thing set word = 'other' where id = 7")
  assert.equal(isNamed(7n), true)
})

test('a database without a log tells nothing', (t) => {
  const { database, log } = started(t)
  database.exec('pragma journal_mode = delete')
  assert.equal(log.changes(), undefined)
})
