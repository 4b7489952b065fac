import { SCHEMA } from '../../../store.ts'
// Requests for lost accounts of earlier versions, which were named by the key alone.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '../../../../test/postgres.ts'
import type { Engine } from '../../../kernel/storage/engines/engine.ts'
import { openPostgres } from '../../../kernel/storage/engines/postgres.ts'
import { openSqlite } from '../../../kernel/storage/engines/sqlite.ts'
import { migrate } from '../../../kernel/storage/tables/schema.ts'
import { recoveryReader, recoveryWriter } from './recoveries.ts'

const KEYS_WITH_FID = 62

async function checkMigration(engine: Engine): Promise<void> {
  const earlier = SCHEMA.migrations.filter(({ id }) => id < KEYS_WITH_FID)
  await migrate(engine, earlier)
  const receiver = new Uint8Array(20).fill(7)
  const signature = new Uint8Array(65)
  await engine.all(
    `insert into recovery (receiver, fid, deadline, signature, note, asked_at, due_at)
       values (?, 5, 30, ?, 'It is me', 10, 20)`,
    [receiver, signature],
  )
  await migrate(engine, SCHEMA.migrations)
  const row = {
    ...{ receiver, fid: 5, deadline: 30, signature, note: 'It is me' },
    ...{ asked_at: 10, provider: '', due_at: 20, by_mail: 0 as const },
  }
  const [kept, ...more] = await recoveryReader(engine).list()
  assert.deepEqual([kept!.fid, kept!.note, kept!.due_at, more], [5, 'It is me', 20, []])
  await engine.transaction((sql) => recoveryWriter(sql).put({ ...row, fid: 6, asked_at: 11 }))
  const fids = (await recoveryReader(engine).ofReceiver(receiver)).map(({ fid }) => fid)
  assert.deepEqual(fids, [6, 5])
  // That of fid 6 waits, too.
  assert.deepEqual(await recoveryReader(engine).movingAfter(0, 10), [5, 6])
  assert.deepEqual(await recoveryReader(engine).movingAfter(5, 10), [6])
}

test('requests of earlier versions stay, and their keys may ask for another account, on SQLite', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-recoveries-'))
  const engine = openSqlite(join(dir, 'rookery.sqlite'))
  await checkMigration(engine).finally(async () => {
    await engine.close()
    rmSync(dir, { recursive: true })
  })
})

test('requests of earlier versions stay, and their keys may ask for another account, on PostgreSQL', async () => {
  const database = await createDatabase('template0')
  const engine = openPostgres(database.url)
  await checkMigration(engine).finally(async () => {
    await engine.close()
    await database.drop()
  })
})
