// What a page of events costs on PostgreSQL does not depend on how many messages are stored.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../test/postgres.ts'
import { isPlainMerge, publishedEventHeaders } from './event-headers.ts'
import { openPostgres } from './postgres.ts'
import { explaining } from './test-support.ts'

const EVENTS = 20_000
const LISTED = 10
/** Of the indexes and the rows of an event, of its message and of what is hidden. */
const PAGES_OF_EVENT = 20

test('a list of events on PostgreSQL looks up their messages and not all, also where anything is hidden', async (t) => {
  const database = await createDatabase()
  const engine = openPostgres(database.url)
  t.after(async () => {
    await engine.close()
    await database.drop()
  })
  for (const text of [
    `insert into message (id, fid, store, type, timestamp, hash, slot, signer, signature, form, data)
     select n, n % 100, 1, 1, n, cast(cast(n as text) as bytea), cast(cast(n as text) as bytea), '', '', 0, ''
       from generate_series(1, ${EVENTS}) n`,
    `insert into event (id, type) select n, 1 from generate_series(1, ${EVENTS}) n`,
    `insert into account_moderation (fid, suspended, erasing, hidden, erased_before, erase_deadline, changed_at)
     values (7, 0, 0, 1, 0, 0, 0)`,
    'analyze',
  ]) {
    await engine.all(text)
  }

  const listed = await publishedEventHeaders(engine).list(1, LISTED)
  assert.deepEqual(
    listed.map(isPlainMerge),
    Array.from({ length: LISTED }, (_, i) => i + 1 !== 7),
  )
  const { sql, pages } = explaining(engine)
  await publishedEventHeaders(sql).list(1, LISTED)
  assert.ok(pages() > 0 && pages() < LISTED * PAGES_OF_EVENT, `${pages()} pages are read`)
})
