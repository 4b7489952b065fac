import { SCHEMA } from '../../../store.ts'
// Profile entries that were stored before the program listed linked accounts.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase, openPatient } from '../../../../test/postgres.ts'
import { userDataSlot } from '../../protocol/kinds/user-data.ts'
import { unixMsOf } from '../../protocol/time.ts'
import type { Engine } from '../engines/engine.ts'
import { openSqlite } from '../engines/sqlite.ts'
import { migrate } from './schema.ts'

const LINKED_ACCOUNTS = 32
const AT = 160_000_000
const ENTRIES: readonly [fid: number, type: number][] = [
  [7, 8],
  [7, 9],
  [7, 2],
  [0xfe_dc_ba_98, 8],
]

async function checkMigration(engine: Engine): Promise<void> {
  await migrate(
    engine,
    SCHEMA.migrations.filter(({ id }) => id < LINKED_ACCOUNTS),
  )
  await engine.transaction(async (sql) => {
    for (const [i, [fid, type]] of ENTRIES.entries()) {
      const column = engine.dialect.engine === 'sqlite' ? 'kept_slot' : 'slot'
      await sql.all(
        `insert into message (id, fid, store, type, timestamp, hash, ${column}, signer, signature, form, data)
         values (?, ?, 4, 11, ?, ?, ?, ?, ?, 0, ?)`,
        [
          ...[i + 1, fid, AT, new Uint8Array(20).fill(i), userDataSlot(fid, type)],
          ...[new Uint8Array(32), new Uint8Array(64), new Uint8Array(1)],
        ],
      )
    }
  })
  await migrate(engine, SCHEMA.migrations)
  const rows = await engine.all(
    'select fid, platform, verified_at from linked_account order by 1, 2',
  )
  const at = unixMsOf(AT) / 1_000
  assert.deepEqual(
    rows.map((row) => [Number(row.fid), row.platform, Number(row.verified_at)]),
    [
      [7, 'github', at],
      [7, 'x', at],
      [0xfe_dc_ba_98, 'x', at],
    ],
  )
}

test('profile entries that are stored already are listed as linked accounts on SQLite', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-linked-accounts-'))
  const engine = openSqlite(join(dir, 'rookery.sqlite'))
  t.after(async () => {
    await engine.close()
    rmSync(dir, { recursive: true })
  })
  await checkMigration(engine)
})

test('profile entries that are stored already are listed as linked accounts on PostgreSQL', async (t) => {
  const database = await createDatabase('template0')
  const engine = openPatient(database.url)
  t.after(async () => {
    await engine.close()
    await database.drop()
  })
  await checkMigration(engine)
})
