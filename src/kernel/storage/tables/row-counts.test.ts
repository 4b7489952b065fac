import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { effort } from '../../../../test/effort.ts'
import { createDatabase, openPatient } from '../../../../test/postgres.ts'
import { explaining } from '../../../../test/storage-support.ts'
import { countRows, rowCount } from './row-counts.ts'

test('reading and changing a row count looks at no more pages after thousands of changes under an open snapshot', async (t) => {
  const turns = effort(800, 10_000)
  const database = await createDatabase()
  const engine = openPatient(database.url)
  // A client of its own: a transaction of the engine would be ended for being idle.
  const snapshot = new pg.Client(database.url)
  await snapshot.connect()
  t.after(async () => {
    await snapshot.end()
    await engine.close()
    await database.drop()
  })
  // Statistics taken meanwhile would let it read the few pages of a short table and not the index.
  await snapshot.query('alter table row_total set (autovacuum_enabled = off)')
  await snapshot.query('begin isolation level repeatable read')
  await snapshot.query('select count(*) from row_total')
  const pages = async () => {
    const read = explaining(engine)
    await rowCount(read.sql, 'message')
    const changed = await engine.transaction(async (sql) => {
      const change = explaining(sql)
      await countRows(change.sql, 'message', 1)
      return change.pages()
    })
    return [read.pages(), changed]
  }

  const before = await pages()
  for (let turn = 0; turn < turns; turn++) {
    await engine.transaction((sql) => countRows(sql, 'message', 1))
  }
  const after = await pages()

  assert.equal(await rowCount(engine, 'message'), turns + 2)
  const { rows } = await snapshot.query("select value from row_total where name = 'message'")
  assert.deepEqual(rows, [{ value: '0' }])
  // A level or two of the index more, as it grows; not the versions themselves.
  after.forEach((count, i) => {
    assert.ok(count <= before[i]! + 4, `${before[i]} pages became ${count}`)
  })
})
