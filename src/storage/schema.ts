import { HUB_MIGRATION } from './migrations/001-hub.ts'
import { REGISTRY_MIGRATION } from './migrations/002-registry.ts'
import { CHANNEL_MIGRATION } from './migrations/003-channels.ts'
import { SOCIAL_MIGRATION } from './migrations/004-social.ts'
import { KEY_REQUEST_MIGRATION } from './migrations/005-key-requests.ts'
import { BADGE_MIGRATION } from './migrations/006-badges.ts'
import { CHAIN_MIGRATION } from './migrations/007-chain.ts'
import { RELAY_MIGRATION } from './migrations/008-relay.ts'
import { LEASE_MIGRATION } from './migrations/009-leases.ts'
import { ROW_COUNT_MIGRATION } from './migrations/010-row-counts.ts'
import { SPENDING_MIGRATION } from './migrations/011-spending.ts'
import type { Engine } from './sql.ts'

// The schema as an append-only list of migrations. Existing migrations are immutable. The SQL contains words that the
// engines spell differently: BYTES, ROWKEY (an integer primary key that grows) and CLUSTERED.

type Migration = { readonly id: number; readonly what: string; readonly statements: string[] }

export const MIGRATIONS: readonly Migration[] = [
  { id: 1, what: 'hub, accounts and ledger', statements: HUB_MIGRATION },
  { id: 2, what: 'name registry', statements: REGISTRY_MIGRATION },
  { id: 3, what: 'channels', statements: CHANNEL_MIGRATION },
  { id: 4, what: 'blocks and actions', statements: SOCIAL_MIGRATION },
  { id: 5, what: 'signed key requests', statements: KEY_REQUEST_MIGRATION },
  { id: 6, what: 'power badges', statements: BADGE_MIGRATION },
  { id: 7, what: 'followed chain', statements: CHAIN_MIGRATION },
  { id: 8, what: 'relayed transactions', statements: RELAY_MIGRATION },
  { id: 9, what: 'leader lease', statements: LEASE_MIGRATION },
  { id: 10, what: 'row counts', statements: ROW_COUNT_MIGRATION },
  { id: 11, what: 'sponsors and gas', statements: SPENDING_MIGRATION },
]

/** Tables of the store itself. They stay when its data is deleted. */
const STORE_TABLES = ['lock', 'lease']
/** Every table that holds data. */
export const DATA_TABLES: readonly string[] = MIGRATIONS.flatMap(({ statements }) =>
  statements.flatMap((statement) => /^create table (\w+)/.exec(statement)?.[1] ?? []),
).filter((table) => !STORE_TABLES.includes(table))

/** Brings the schema up to date, all or nothing for each migration. Safe when several processes start. */
export async function migrate(engine: Engine): Promise<void> {
  // When two processes create the table at the same time, PostgreSQL fails one; it then finds the other's table.
  await engine
    .all(
      'create table if not exists schema_migration (id bigint not null primary key, what text not null)',
    )
    .catch(() => engine.all('select id from schema_migration limit 1'))
  for (const migration of MIGRATIONS) {
    await engine.transaction(async (sql) => {
      if (engine.kind === 'postgres') await sql.all('lock table schema_migration in exclusive mode')
      const done = await sql.all('select id from schema_migration where id = ?', [migration.id])
      if (done.length > 0) return
      for (const statement of migration.statements) await sql.all(spelled(statement, engine.kind))
      await sql.all('insert into schema_migration (id, what) values (?, ?)', [
        migration.id,
        migration.what,
      ])
    })
  }
}

function spelled(statement: string, kind: Engine['kind']): string {
  return kind === 'sqlite'
    ? statement
        .replaceAll('ROWKEY', 'integer primary key')
        .replaceAll('bigint', 'integer')
        .replaceAll('CLUSTERED', 'without rowid')
    : statement.replaceAll('ROWKEY', 'bigint primary key').replaceAll('CLUSTERED', '')
}
