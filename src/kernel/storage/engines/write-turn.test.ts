import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { joinSqlite, openSqlite } from './sqlite.ts'

/** A store with a table, and a second connection to it as threads have. */
async function open(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-turns-'))
  const file = join(directory, 'store.sqlite')
  const owner = openSqlite(file, { flushes: false })
  const joined = joinSqlite(file, { flushes: false })
  t.after(async () => {
    await joined.close()
    await owner.close()
    rmSync(directory, { recursive: true, force: true })
  })
  await owner.transaction((sql) => sql.all('create table t (name text)'))
  return { file, owner, joined }
}

const INSERT = 'insert into t values (?)'

test('a writer of the embedded store waits for the other writers of its process in order, however long they take', async (t) => {
  const { owner, joined } = await open(t)
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = joined.transaction(async (sql) => {
    begun.resolve()
    await mayEnd.promise
    await sql.all(INSERT, ['first'])
  })
  await begun.promise
  // If SQLite waited, it would keep this thread from ending the first transaction until it gave up.
  const second = owner.transaction((sql) => sql.all(INSERT, ['second']))
  const third = joined.transaction((sql) => sql.all(INSERT, ['third']))
  const fourth = owner.transaction((sql) => sql.all(INSERT, ['fourth']))
  mayEnd.resolve()
  await Promise.all([first, second, third, fourth])
  const rows = await owner.all('select name from t order by rowid')
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['first', 'second', 'third', 'fourth'],
  )
})

const THREAD = (module: URL, file: string) => `
  import { parentPort } from 'node:worker_threads'
  import { joinSqlite } from ${JSON.stringify(module.href)}
  const engine = joinSqlite(${JSON.stringify(file)}, { flushes: false })
  await engine.transaction(async (sql) => {
    await sql.all("insert into t values ('lost')")
    parentPort.postMessage('written')
    await new Promise((resolve) => parentPort.once('message', resolve))
  })`

test('writers of the embedded store go on when a thread ends within its transaction, which is undone', async (t) => {
  const { file, owner } = await open(t)
  const code = THREAD(new URL('./sqlite.ts', import.meta.url), file)
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
  await once(thread, 'message')
  const written = owner.transaction((sql) => sql.all(INSERT, ['kept']))
  await thread.terminate()
  await written
  assert.deepEqual(await owner.all('select name from t'), [{ name: 'kept' }])
})
