import { join } from 'node:path'
import type { App } from '../src/app.ts'
import type { readConfig } from '../src/config.ts'
import { CHANNELS as CHANNELS_OF_SERVER } from '../src/features/channels/port.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import type { Engine } from '../src/kernel/storage/engines/engine.ts'
import { openPostgres } from '../src/kernel/storage/engines/postgres.ts'
import { joinSqlite } from '../src/kernel/storage/engines/sqlite.ts'
import { storageSettingsOf } from '../src/kernel/storage/from-config.ts'
import type { NewMessage } from '../src/kernel/storage/messages/messages.ts'
import { benchAccount, importAccounts } from './accounts.ts'
import { CHANNELS, type NetworkSize, networkMessages } from './app-network.ts'
import { importChannels } from './channels.ts'
import { messageData } from './messages.ts'
import { idAt, messageRow } from './rows.ts'

const BATCH = 20_000

type Config = ReturnType<typeof readConfig>

/** Fills an empty store with a network as clients of the app API see it. */
export async function fillNetwork(app: App, config: Config, size: NetworkSize): Promise<void> {
  await importUsers(app, size.users)
  await importChannels(app.of(CHANNELS_OF_SERVER), CHANNELS)
  await storeAll(app, config, networkMessages(size, Date.now()))
}

/** Fills an empty store with the mix of messages that the hub's bench submits. */
export async function fillHub(app: App, config: Config, size: NetworkSize): Promise<void> {
  await importUsers(app, size.users)
  await storeAll(app, config, mixedMessages(size, Date.now()))
}

function* mixedMessages({ messages, users }: NetworkSize, nowMs: number): Generator<NewMessage> {
  const now = networkTime(nowMs)
  const startMs = nowMs - messages
  for (let n = 0; n < messages; n++) {
    yield messageRow(messageData(n, users, now), idAt(startMs + n, 0))
  }
}

const importUsers = (app: App, users: number): Promise<void> =>
  importAccounts(
    app.ledger!,
    Array.from({ length: users }, (_, i) => benchAccount(i + 1)),
  )

/**
 * Stores messages without their events: events of messages are kept for three days only. The indexes of messages are
 * made at the end, as when a dump is restored.
 */
async function storeAll(
  { storage }: Pick<App, 'storage'>,
  config: Config,
  messages: Iterator<NewMessage>,
): Promise<void> {
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
    for (let done = 0; ; done += BATCH) {
      const rows = takeUpTo(BATCH, messages)
      if (rows.length === 0) break
      await storage.write('hub', (tx) => tx.messages.insert(rows))
      if (done % 500_000 === 0) console.error(`${new Date().toISOString()} ${done} messages stored`)
    }
    await run(
      engine,
      indexes.map(({ definition }) => String(definition)),
    )
    if (engine.dialect.engine === 'postgres') await run(engine, ['analyze'])
  } finally {
    await engine.close()
  }
}

function takeUpTo<T>(count: number, from: Iterator<T>): T[] {
  const taken: T[] = []
  while (taken.length < count) {
    const next = from.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}

/** The indexes that an insert does not read. On SQLite it looks up messages of the same author and second. */
const messageIndexes = (engine: Engine) =>
  engine.all(
    engine.dialect.engine === 'sqlite'
      ? `select name, sql as definition from sqlite_master
          where type = 'index' and tbl_name = 'message' and sql is not null
            and name not in ('message_order', 'message_tied')`
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
