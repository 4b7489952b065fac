import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { copySqlite } from './sqlite-copy.ts'

const ROWS = 4_000

test('the copy of an embedded store ends although somebody writes all the time, and is of one moment', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-copy-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'copy'))
  const store = new DatabaseSync(join(dir, 'rookery.sqlite'))
  t.after(() => store.close())
  store.exec('pragma journal_mode = wal; pragma synchronous = off; create table one (bytes blob)')
  // Several steps of a copy long.
  store.exec(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS})
     insert into one select randomblob(4000) from n`,
  )
  let ended = false
  let written = 0
  const writing = (async () => {
    for (; !ended; written++) {
      store.exec('insert into one values (randomblob(4000))')
      await new Promise(setImmediate)
    }
  })()
  await copySqlite(dir, join(dir, 'copy'))
  ended = true
  await writing
  const copy = new DatabaseSync(join(dir, 'copy', 'rookery.sqlite'))
  t.after(() => copy.close())
  const { count } = copy.prepare('select count(*) as count from one').get() as { count: number }
  assert.ok(count >= ROWS && count < ROWS + written, `${count} rows, ${written} written meanwhile`)
  assert.deepEqual({ ...copy.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
})
