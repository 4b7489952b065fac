import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { overwriteDeleted, overwriteFiles } from './overwrite.ts'
import { inWriteTurn } from './write-turn.ts'

const SECRET = 'zqsecret'
const ROWS = 20_000

/** A file in which rows were moved between pages before some of them were deleted. */
function written(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-overwrite-'))
  const file = join(directory, 'data.sqlite')
  const database = new DatabaseSync(file)
  t.after(() => {
    database.close()
    rmSync(directory, { recursive: true, force: true })
  })
  database.exec('pragma journal_mode = wal; pragma secure_delete = on')
  database.exec('create table entry (id integer primary key, text text)')
  const insert = database.prepare('insert into entry values (?, ?)')
  database.exec('begin')
  for (let i = 0; i < ROWS; i++) {
    // Every id once, in an order that makes most inserts move rows.
    const id = (i * 7_919) % ROWS
    insert.run(id, `${id % 20 === 0 ? SECRET : 'other'}${'x'.repeat((id * 31) % 300)}`)
  }
  database.exec('commit')
  database.exec("delete from entry where text like 'zqsecret%'")
  return { file, database }
}

const holdsSecret = (path: string) => readFileSync(path).includes(SECRET)

test('what was deleted is in no byte of the file nor of its log, also where rows were moved', async (t) => {
  const { file, database } = written(t)
  database.prepare('pragma wal_checkpoint(passive)').get()
  assert.ok(holdsSecret(file), 'deleting alone leaves copies of rows that were moved')
  await overwriteDeleted({ files: [file], flushes: false }, new AbortController().signal)
  assert.equal(holdsSecret(file), false)
  assert.equal(statSync(`${file}-wal`).size, 0)
  const [row] = database.prepare('select count(*) as n from entry').all()
  assert.equal(row?.n, ROWS - ROWS / 20)
})

test('a reader that holds the log delays the overwriting until it ends', async (t) => {
  const { file, database } = written(t)
  const reader = new DatabaseSync(file, { readOnly: true })
  t.after(() => reader.close())
  reader.exec('begin')
  reader.prepare('select count(*) from entry').get()
  let isDone = false
  const overwritten = overwriteFiles({ files: [file], flushes: false }).then(() => {
    isDone = true
  })
  // Whoever writes after the first attempt to empty the log.
  await inWriteTurn(file, nextTurn)
  assert.equal(isDone, false)
  assert.ok(statSync(`${file}-wal`).size > 0)
  reader.exec('commit')
  await overwritten
  assert.equal(statSync(`${file}-wal`).size, 0)
  assert.equal(database.prepare('pragma quick_check').get()?.quick_check, 'ok')
})
