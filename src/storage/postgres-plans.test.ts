// What PostgreSQL does for pages of events and lists: it plans them once, and its plans do not read whole tables.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase } from '../../test/postgres.ts'
import { eventBodyReader } from './event-bodies.ts'
import { isPlainMerge, publishedEventHeaders } from './event-headers.ts'
import { publishedMessageIds } from './message-ids.ts'
import { messagePartsReader } from './message-parts.ts'
import { openPostgres } from './postgres.ts'
import type { Engine } from './sql.ts'
import { explaining } from './test-support.ts'

const EVENTS = 20_000
const FIDS = 100
const HIDDEN_FID = 7
const LINKS = 4
/** PostgreSQL plans a prepared statement for its values this many times, before it may reuse one generic plan. */
const CUSTOM_PLANS = 5
const LISTED = 10
/** Of the indexes and the rows of an event, of its message and of what is hidden. */
const PAGES_OF_EVENT = 20

let database: Awaited<ReturnType<typeof createDatabase>>
let engine: Engine
before(async () => {
  database = await createDatabase()
  engine = openPostgres(database.url, { readConnections: 1 })
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

test('PostgreSQL plans pages of events and lists of ids once for all values', async () => {
  const ids = publishedMessageIds(engine)
  const events = publishedEventHeaders(engine)
  const bodies = eventBodyReader(engine)
  const parts = messagePartsReader(engine)
  const link = { store: LINKS, types: [5], slotPrefix: Uint8Array.of(0) }
  for (let fid = 1; fid <= 2 * CUSTOM_PLANS; fid++) {
    await ids.listByFid({ fid, store: LINKS }, { size: fid })
    await ids.listByFid({ fid, ...link }, { size: fid })
    await events.list(EVENTS - fid, fid)
    await parts.range(EVENTS - fid, EVENTS)
    await bodies.range(EVENTS - fid, EVENTS)
  }
  const statements = await engine.all(
    `select statement, custom_plans as plans from pg_prepared_statements
      where generic_plans + custom_plans > ${CUSTOM_PLANS}`,
  )
  assert.ok(statements.length >= 5, 'the statements are prepared')
  assert.deepEqual(
    statements.filter(({ plans }) => Number(plans) > CUSTOM_PLANS),
    [],
  )
})

test('a list of events on PostgreSQL looks up their messages and not all, also where anything is hidden', async () => {
  const listed = await publishedEventHeaders(engine).list(1, LISTED)
  assert.deepEqual(
    listed.map(isPlainMerge),
    Array.from({ length: LISTED }, (_, i) => i + 1 !== HIDDEN_FID),
  )
  const { sql, pages } = explaining(engine)
  await publishedEventHeaders(sql).list(1, LISTED)
  assert.ok(pages() > 0 && pages() < LISTED * PAGES_OF_EVENT, `${pages()} pages are read`)
})
