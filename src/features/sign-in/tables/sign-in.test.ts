import { SCHEMA } from '../../../store.ts'
// Channels of earlier versions had the address of their page, and with it the token.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '../../../../test/postgres.ts'
import type { Engine } from '../../../kernel/storage/engines/engine.ts'
import { openPostgres } from '../../../kernel/storage/engines/postgres.ts'
import { openSqlite } from '../../../kernel/storage/engines/sqlite.ts'
import { migrate } from '../../../kernel/storage/tables/schema.ts'
import { signInReader } from './sign-in.ts'

const WITHOUT_URLS = 63
const TOKEN = 'TOKENOFAWAITINGCHANNEL'

async function checkMigration(engine: Engine): Promise<void> {
  const earlier = SCHEMA.migrations.filter(({ id }) => id < WITHOUT_URLS)
  await migrate(engine, earlier)
  const token_hash = new Uint8Array(32).fill(1)
  await engine.all(
    `insert into sign_in_channel
       (token_hash, state, client, request, url, ip, user_agent, created_at, expires_at)
       values (?, 'pending', '192.0.2.1', '{}', ?, '192.0.2.1', 'test', 1, 100)`,
    [token_hash, `https://example.com/~/sign-in?channelToken=${TOKEN}`],
  )
  await migrate(engine, SCHEMA.migrations)
  const channel = await signInReader(engine).channel(token_hash, 50)
  assert.equal(channel?.state, 'pending')
  assert.ok(!JSON.stringify(await engine.all('select * from sign_in_channel')).includes(TOKEN))
}

test('a channel of an earlier version goes on without its token on SQLite, also in the file', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-sign-in-'))
  const engine = openSqlite(join(dir, 'rookery.sqlite'))
  try {
    await checkMigration(engine)
    await engine.all('pragma wal_checkpoint(truncate)')
    for (const name of readdirSync(dir)) {
      assert.ok(!readFileSync(join(dir, name)).includes(TOKEN), name)
    }
  } finally {
    await engine.close()
    rmSync(dir, { recursive: true })
  }
})

test('a channel of an earlier version goes on without its token on PostgreSQL', async () => {
  const database = await createDatabase('template0')
  const engine = openPostgres(database.url)
  await checkMigration(engine).finally(async () => {
    await engine.close()
    await database.drop()
  })
})
