import { SCHEMA } from '../../../store.ts'
// Blocks by links that were stored before the program knew them.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase, openPatient } from '../../../../test/postgres.ts'
import { linkSlot, linksByTargetKey } from '../../protocol/kinds/link.ts'
import { unixMsOf } from '../../protocol/time.ts'
import type { Engine } from '../engines/engine.ts'
import { openSqlite } from '../engines/sqlite.ts'
import { migrate } from './schema.ts'

const LINK_BLOCKS = 25
const AT = 160_000_000
const createdAt = unixMsOf(AT) / 1000

const LINKS: readonly [fid: number, type: string, target: number][] = [
  [7, 'block', 1],
  [7, 'block', 0xfe_dc_ba_98],
  [8, 'block', 0x01_23_45_67],
  [8, 'follow', 7],
  [9, 'block', 9],
  [4, 'block', 5],
]

async function checkMigration(engine: Engine): Promise<void> {
  await migrate(
    engine,
    SCHEMA.migrations.filter(({ id }) => id < LINK_BLOCKS),
  )
  await engine.transaction(async (sql) => {
    await sql.all('insert into block (blocker, blocked, created_at) values (4, 5, 10), (1, 2, 20)')
    for (const [i, [fid, type, target]] of LINKS.entries()) {
      const isEmbedded = engine.dialect.engine === 'sqlite'
      const slot = isEmbedded ? new Uint8Array(0) : linkSlot(fid, type, target)
      await sql.all(
        `insert into message (id, fid, store, type, timestamp, hash, ${isEmbedded ? 'kept_slot' : 'slot'}, target, signer, signature, form, data)
         values (?, ?, 2, 5, ?, ?, ?, ?, ?, ?, 0, ?)`,
        [
          ...[i + 1, fid, AT],
          ...[new Uint8Array(20).fill(i), slot, linksByTargetKey(target, type)],
          ...[new Uint8Array(32), new Uint8Array(64), new Uint8Array(1)],
        ],
      )
    }
  })
  await migrate(engine, SCHEMA.migrations)
  const rows = await engine.all(
    'select blocker, blocked, created_at, platform_at, link_at from block order by blocker, blocked',
  )
  assert.deepEqual(
    rows.map((row) => Object.values(row).map((value) => (value === null ? null : Number(value)))),
    [
      [1, 2, 20, 20, null],
      [4, 5, 10, 10, createdAt],
      [7, 1, createdAt, null, createdAt],
      [7, 0xfe_dc_ba_98, createdAt, null, createdAt],
      [8, 0x01_23_45_67, createdAt, null, createdAt],
    ],
  )
}

test('links of type block that are stored already become blocks on SQLite', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-link-blocks-'))
  const engine = openSqlite(join(dir, 'rookery.sqlite'))
  t.after(async () => {
    await engine.close()
    rmSync(dir, { recursive: true })
  })
  await checkMigration(engine)
})

test('links of type block that are stored already become blocks on PostgreSQL', async (t) => {
  const database = await createDatabase('template0')
  const engine = openPatient(database.url)
  t.after(async () => {
    await engine.close()
    await database.drop()
  })
  await checkMigration(engine)
})
