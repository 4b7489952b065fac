// What PostgreSQL does for pages of events: its plans do not read whole tables.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase, openPatient } from '../../../../test/postgres.ts'
import { explaining } from '../../../../test/storage-support.ts'
import { publishedEventReader } from '../messages/events.ts'
import type { Engine } from './engine.ts'

const EVENTS = 20_000
const FIDS = 100
const HIDDEN_FID = 7
const LINKS = 4
const LISTED = 10
/** Of the indexes and the rows of an event, of its message and of what is hidden. */
const PAGES_OF_EVENT = 20

let database: Awaited<ReturnType<typeof createDatabase>>
let engine: Engine
before(async () => {
  database = await createDatabase()
  engine = openPatient(database.url, { readConnections: 1 })
  for (const text of [
    `insert into message (id, fid, store, type, timestamp, hash, slot, signer, signature, form, data)
     select n, n % ${FIDS}, case when n % 1000 < ${FIDS} then ${LINKS} else 1 end,
       case when n % 1000 < ${FIDS} then 5 else 1 end, n,
       cast(cast(n as text) as bytea), cast(cast(n as text) as bytea), '', '', 0, ''
       from generate_series(1, ${EVENTS}) n`,
    `insert into event (id, type) select n, 1 from generate_series(1, ${EVENTS}) n`,
    `insert into account_moderation (fid, suspended, erasing, hidden, erased_before, erase_deadline, changed_at)
     values (${HIDDEN_FID}, 0, 0, 1, 0, 0, 0)`,
    'analyze',
  ]) {
    await engine.all(text)
  }
})
after(async () => {
  await engine.close()
  await database.drop()
})

test('a list of events on PostgreSQL looks up their messages and not all, also where anything is hidden', async () => {
  const listed = await publishedEventReader(engine).list(1, LISTED)
  assert.deepEqual(
    listed.map(({ merged }) => merged?.fid),
    Array.from({ length: LISTED }, (_, i) => i + 1),
  )
  const { sql, pages } = explaining(engine)
  await publishedEventReader(sql).list(1, LISTED)
  assert.ok(pages() > 0 && pages() < LISTED * PAGES_OF_EVENT, `${pages()} pages are read`)
})
