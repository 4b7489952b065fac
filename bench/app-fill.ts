import { join } from 'node:path'
import type { App } from '../src/app.ts'
import type { readConfig } from '../src/config.ts'
import { storageSettingsOf } from '../src/storage/from-config.ts'
import { openPostgres } from '../src/storage/postgres.ts'
import type { Engine } from '../src/storage/sql.ts'
import { joinSqlite } from '../src/storage/sqlite.ts'
import { benchAccount, importAccounts } from './accounts.ts'
import { CHANNELS, fillNetwork, type NetworkSize } from './app-network.ts'
import { importChannels } from './channels.ts'

/** Fills an empty store. The indexes of messages are made at the end, as when a dump is restored. */
export async function fillStore(
  app: App,
  config: ReturnType<typeof readConfig>,
  size: NetworkSize,
): Promise<void> {
  const accounts = Array.from({ length: size.users }, (_, i) => benchAccount(i + 1))
  await importAccounts(app.ledger!, accounts)
  await importChannels(app.platform.channels, CHANNELS)
  const settings = storageSettingsOf(config)
  const engine = settings.databaseUrl
    ? openPostgres(settings.databaseUrl)
    : joinSqlite(join(config.dataDir, 'rookery.sqlite'))
  try {
    const indexes = await messageIndexes(engine)
    await run(
      engine,
      indexes.map(({ name }) => `drop index ${name}`),
    )
    await fillNetwork(app, size, Date.now())
    await run(
      engine,
      indexes.map(({ definition }) => String(definition)),
    )
    if (engine.kind === 'postgres') await run(engine, ['analyze'])
  } finally {
    await engine.close()
  }
}

const messageIndexes = (engine: Engine) =>
  engine.all(
    engine.kind === 'sqlite'
      ? `select name, sql as definition from sqlite_master
          where type = 'index' and tbl_name = 'message' and sql is not null`
      : `select indexname as name, indexdef as definition from pg_indexes
          where tablename = 'message' and indexname <> 'message_pkey'`,
  )

const run = (engine: Engine, statements: readonly string[]): Promise<void> =>
  engine.transaction(
    async (sql) => {
      for (const text of statements) await sql.all(text)
    },
    { isUnlimited: true },
  )
