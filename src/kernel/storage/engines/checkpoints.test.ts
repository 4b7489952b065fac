import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { PATIENCE_MS } from '../../../../test/patience.ts'
import { MAX_LOG_PAGES } from './checkpoints.ts'
import { joinSqlite, openSqlite } from './sqlite.ts'

const PAGE_BYTES = 4_096
/** Many enough that the thread copies them, few enough that no commit has to. */
const PAGES = 3_000
const PAGES_EACH = 100

test('a thread copies the log of the embedded store while another connection writes, and then the log begins again', async (t) => {
  const { store, put, log, contents } = open(t)
  for (let commit = 0; commit < PAGES / PAGES_EACH; commit++) await put(PAGES_EACH)
  assert.ok(log().log >= PAGES, 'the log has every page')
  await until(() => log().checkpointed >= PAGES, 'the thread copied the log')
  let pages = PAGES
  // Each commit adds pages, so the log is shorter only when it began again.
  await until(async () => {
    const before = log().log
    await put(1)
    pages++
    return log().log < before
  }, 'the log began again')
  assert.equal(contents(), pages * PAGE_BYTES)
  await store.close()
})

test('the log of the embedded store grows while a reader needs the main file as it was, and is copied once it ends', async (t) => {
  const { store, file, put, log, contents } = open(t)
  const reader = new DatabaseSync(file)
  reader.exec('begin; select count(*) from t')
  for (let n = 0; n < 2 * MAX_LOG_PAGES; n += 10 * PAGES_EACH) await put(10 * PAGES_EACH)
  assert.ok(log().log > MAX_LOG_PAGES && log().checkpointed === 0)
  assert.equal(reader.prepare('select count(*) as n from t').get()?.n, 0)
  reader.exec('commit')
  reader.close()
  await until(() => log().log === log().checkpointed, 'the thread copied the log')
  await put(1)
  assert.ok(log().log < MAX_LOG_PAGES, 'the log began again')
  assert.equal(contents(), (2 * MAX_LOG_PAGES + 1) * PAGE_BYTES)
  await store.close()
})

test('a closed store has its whole log in the main file, and no log', async (t) => {
  const { store, file, put } = open(t)
  await put(PAGES)
  await store.close()
  const database = new DatabaseSync(file, { readOnly: true })
  t.after(() => database.close())
  assert.equal(database.prepare('select sum(length(b)) as n from t').get()?.n, PAGES * PAGE_BYTES)
  assert.equal(database.prepare('pragma wal_checkpoint(noop)').get()?.log, 0)
})

/** A store whose table is written by a second connection, as the merge thread does. */
function open(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'rookery-checkpoints-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'store.sqlite')
  // Not flushed: which pages are copied does not depend on it.
  const owner = openSqlite(file, { flushes: false })
  const writer = joinSqlite(file, { flushes: false })
  const seen = new DatabaseSync(file)
  seen.exec('create table t (b blob)')
  seen.exec('pragma wal_checkpoint(truncate)')
  const read = seen.prepare('pragma wal_checkpoint(noop)')
  const store = {
    async close() {
      seen.close()
      await writer.close()
      await owner.close()
    },
  }
  return {
    store,
    file,
    /** Commits rows that take so many pages. */
    put: (pages: number) =>
      writer.transaction((sql) =>
        sql.all(
          `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${pages})
           insert into t select randomblob(${PAGE_BYTES}) from n`,
        ),
      ),
    log: () => read.get() as { readonly log: number; readonly checkpointed: number },
    contents: () => seen.prepare('select sum(length(b)) as n from t').get()?.n,
  }
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  while (!(await holds())) {
    if (signal.aborted) assert.fail(`not within a minute: ${what}`)
    await delay(10)
  }
}
