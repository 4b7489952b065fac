import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '../../../../test/postgres.ts'
import { openStore } from '../../../../test/storage-support.ts'
import { ENGINES } from '../../../../test/world.ts'
import { PART_BYTES } from '../../../kernel/http/parted-body.ts'
import type { Engine } from '../../../kernel/storage/engines/engine.ts'
import { openPostgres } from '../../../kernel/storage/engines/postgres.ts'
import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { openSqlite } from '../../../kernel/storage/engines/sqlite.ts'
import { activityWriter } from '../../../kernel/storage/tables/activity.ts'
import { auditReader } from '../../../kernel/storage/tables/audit.ts'
import { migrate } from '../../../kernel/storage/tables/schema.ts'
import { SCHEMA } from '../../../store.ts'
import { MEDIA, mediaReader, mediaRows, mediaWriter, SLICE_BYTES } from './media.ts'

// The kept numbers of files and of their bytes, parts of files, and objects to delete.

const MEDIA_TOTALS = 59
const file = (n: number) => ({
  hash: new Uint8Array(32).fill(n),
  object: `object ${n}`,
  type: 'image/png',
  small_type: null,
  width: 1,
  height: 1,
  large_bytes: n * 100,
  small_bytes: n,
  duration_ms: 0,
  thumbhash: null,
})
const uploadOf = (n: number) => ({
  hash: file(n).hash,
  fid: 7,
  alt: '',
  bytes: n * 101,
  created_at: 1,
  checked_at: 1,
})

async function checkTotals(engine: Engine): Promise<void> {
  await migrate(
    engine,
    SCHEMA.migrations.filter(({ id }) => id < MEDIA_TOTALS),
  )
  for (const { hash, object, large_bytes, small_bytes } of [file(1), file(2)]) {
    const columns = 'hash, object, type, width, height, large_bytes, small_bytes'
    const values = [hash, object, 'image/png', 1, 1, large_bytes, small_bytes]
    await engine.all(
      `insert into media (${columns}) values (?, ?, ?, ?, ?, ?, ?) returning object`,
      values,
    )
  }
  for (const one of [uploadOf(1), uploadOf(2)]) {
    const columns = Object.keys(one)
    const values = columns.map(() => '?').join()
    const text = `insert into media_upload (${columns.join()}) values (${values}) returning hash`
    await engine.all(text, Object.values(one))
  }
  await migrate(engine, SCHEMA.migrations)
  const { totals, bytesOf } = mediaReader(engine)
  assert.deepEqual(await totals(), { files: 2, bytes: 303 })
  assert.equal(await bytesOf(7), 303)

  await engine.transaction(async (sql) => {
    await mediaWriter(sql).add(file(3))
    await mediaWriter(sql).remove(file(1))
  })
  assert.deepEqual(await totals(), { files: 2, bytes: 505 })
  assert.deepEqual(await auditReader(engine, SCHEMA.totals).wrongTotals(), [])

  // A process of an earlier version adds a row and counts nothing. No upload reads all rows to find that out.
  await MEDIA.insert(engine, [file(4)])
  assert.deepEqual(await totals(), { files: 2, bytes: 505 })
  const wrong = await auditReader(engine, SCHEMA.totals).wrongTotals()
  assert.deepEqual(wrong, [
    { name: 'media', kept: 2, rows: 3 },
    { name: 'media_bytes', kept: 505, rows: 909 },
  ])
  const drifts = wrong.map(({ name, kept, rows }) => ({ name, missing: rows - kept }))
  await engine.transaction((sql) => activityWriter(sql).correct(drifts, []))
  assert.deepEqual(await totals(), { files: 3, bytes: 909 })
}

/** Parts of every length come back as they were put, and no row that is read holds more than a slice. */
async function checkParts(engine: Engine): Promise<void> {
  await migrate(engine, SCHEMA.migrations)
  let longest = 0
  const watched: Sql = {
    each: engine.each,
    bundled: engine.bundled,
    async all(text, parameters) {
      const rows = await engine.all(text, parameters)
      for (const { data } of rows) longest = Math.max(longest, (data as Uint8Array).length)
      return rows
    },
  }
  const lengths = [1, SLICE_BYTES - 1, SLICE_BYTES, SLICE_BYTES + 1, PART_BYTES - 1, PART_BYTES]
  for (const [part, length] of lengths.entries()) {
    const data = randomBytes(length)
    await engine.transaction((sql) =>
      mediaWriter(sql).putPart({ object: 'o', size: 'large', part, data }),
    )
    const read = await mediaReader(watched).part('o', 'large', part)
    assert.ok(read && data.equals(read.data), `${length} bytes`)
  }
  assert.equal(longest, SLICE_BYTES)
  assert.equal(await mediaReader(engine).part('o', 'large', lengths.length), undefined)
  assert.equal(await mediaReader(engine).part('o', 'small', 0), undefined)
}

async function onSqlite(check: (engine: Engine) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-media-'))
  const engine = openSqlite(join(dir, 'rookery.sqlite'))
  await check(engine).finally(async () => {
    await engine.close()
    rmSync(dir, { recursive: true })
  })
}

async function onPostgres(check: (engine: Engine) => Promise<void>): Promise<void> {
  const database = await createDatabase('template0')
  const engine = openPostgres(database.url)
  await check(engine).finally(async () => {
    await engine.close()
    await database.drop()
  })
}

for (const [name, on] of [
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const) {
  test(`the numbers of files and of their bytes are kept by what adds and removes files on ${name}`, () =>
    on(checkTotals))

  test(`a part of a file is read whole, in rows of a few kilobytes, on ${name}`, () =>
    on(checkParts))
}

for (const engine of ENGINES) {
  test(`objects to delete are read from the oldest on, those of the asked second too, on ${engine}`, async (t) => {
    const storage = await openStore(t, engine)
    await storage.write('all/media', async (tx) => {
      for (const since of [30, 10, 20]) {
        await tx.of(mediaRows).putGarbage({ object: `of ${since}`, since })
      }
    })
    const objects = async (since: number, limit: number) =>
      (await storage.of(mediaRows).garbage(since, limit)).map(({ object }) => object)
    assert.deepEqual(await objects(20, 10), ['of 10', 'of 20'])
    assert.deepEqual(await objects(19, 10), ['of 10'])
    assert.deepEqual(await objects(30, 2), ['of 10', 'of 20'])
  })
}
