import type { Dialect, Engine, EngineName } from '../engines/engine.ts'
import type { Row, Sql } from '../engines/sql.ts'
import { HUB_MIGRATION } from '../migrations/001-hub.ts'
import { SOCIAL_MIGRATION } from '../migrations/004-social.ts'
import { CHAIN_MIGRATION } from '../migrations/007-chain.ts'
import { LEASE_MIGRATION } from '../migrations/009-leases.ts'
import { ROW_COUNT_MIGRATION } from '../migrations/010-row-counts.ts'
import { SPENDING_MIGRATION } from '../migrations/011-spending.ts'
import { ROW_TOTAL_MIGRATION } from '../migrations/012-row-totals.ts'
import { MODERATION_MIGRATION } from '../migrations/013-moderation.ts'
import { REMOVED_MESSAGE_MIGRATION } from '../migrations/015-removed-messages.ts'
import { APP_MIGRATION } from '../migrations/016-apps.ts'
import { MESSAGE_ORDER_MIGRATION } from '../migrations/017-message-order.ts'
import { ACTIVITY_MIGRATION } from '../migrations/020-activity.ts'
import { PART_LOCK_MIGRATION } from '../migrations/022-part-locks.ts'
import { QUOTA_MIGRATION } from '../migrations/023-quotas.ts'
import {
  HIDDEN_CAST_FID_MIGRATION,
  NARROW_MESSAGE_MIGRATION,
} from '../migrations/024-narrow-messages.ts'
import { STORAGE_END_MIGRATION } from '../migrations/025-storage-ends.ts'
import { ONE_SHARD_MIGRATION } from '../migrations/026-one-shard.ts'
import {
  EMBEDDED_LINK_BLOCK_MIGRATION,
  LINK_BLOCK_MIGRATION,
  SERVER_LINK_BLOCK_MIGRATION,
} from '../migrations/027-link-blocks.ts'
import { GASLESS_KEY_MIGRATION } from '../migrations/029-gasless-keys.ts'
import {
  EMBEDDED_STORED_MESSAGE_MIGRATION,
  SERVER_STORED_MESSAGE_MIGRATION,
} from '../migrations/031-stored-messages.ts'
import { STORAGE_LEND_MIGRATION } from '../migrations/033-storage-lends.ts'
import { GASLESS_REQUEST_MIGRATION } from '../migrations/034-gasless-requests.ts'
import type { ReadsRows } from '../rows.ts'
import type { Upstream } from '../upstream.ts'
import type { RowGauge } from './activity.ts'
import { type AnyTable, KERNEL_TABLES } from './tables.ts'

// The schema as an append-only list of migrations. Existing migrations are immutable. Features declare their own; they run in the order
// of their numbers.

export type Migration = {
  readonly id: number
  readonly what: string
  readonly statements: readonly string[] | ((dialect: Dialect) => readonly string[])
  /** Statements for one engine alone, where the engines keep a table in different ways. */
  readonly only?: Partial<Record<EngineName, readonly string[]>>
}

export const KERNEL_MIGRATIONS: readonly Migration[] = [
  { id: 1, what: 'hub, accounts and ledger', statements: HUB_MIGRATION },
  { id: 4, what: 'blocks and actions', statements: SOCIAL_MIGRATION },
  { id: 7, what: 'followed chain', statements: CHAIN_MIGRATION },
  { id: 9, what: 'leader lease', statements: LEASE_MIGRATION },
  { id: 10, what: 'row counts', statements: ROW_COUNT_MIGRATION },
  { id: 11, what: 'sponsors and gas', statements: SPENDING_MIGRATION },
  { id: 12, what: 'row counts that do not pile up', statements: ROW_TOTAL_MIGRATION },
  { id: 13, what: 'moderation', statements: MODERATION_MIGRATION },
  { id: 15, what: 'removed messages of events', statements: REMOVED_MESSAGE_MIGRATION },
  { id: 16, what: 'apps', statements: APP_MIGRATION },
  { id: 17, what: 'index of message lists', statements: MESSAGE_ORDER_MIGRATION },
  { id: 20, what: 'numbers of use', statements: ACTIVITY_MIGRATION },
  { id: 22, what: 'locks of channels and fids', statements: PART_LOCK_MIGRATION },
  { id: 23, what: 'quotas', statements: QUOTA_MIGRATION },
  {
    id: 24,
    what: 'narrower messages',
    statements: HIDDEN_CAST_FID_MIGRATION,
    only: { sqlite: NARROW_MESSAGE_MIGRATION },
  },
  { id: 25, what: 'ends of storage units', statements: STORAGE_END_MIGRATION },
  { id: 26, what: 'one shard', statements: [], only: { postgres: ONE_SHARD_MIGRATION } },
  {
    id: 27,
    what: 'blocks by links',
    statements: LINK_BLOCK_MIGRATION,
    only: { sqlite: EMBEDDED_LINK_BLOCK_MIGRATION, postgres: SERVER_LINK_BLOCK_MIGRATION },
  },
  { id: 29, what: 'gasless keys', statements: GASLESS_KEY_MIGRATION },
  {
    id: 31,
    what: 'how messages are read',
    statements: [],
    only: { sqlite: EMBEDDED_STORED_MESSAGE_MIGRATION, postgres: SERVER_STORED_MESSAGE_MIGRATION },
  },
  { id: 33, what: 'lent storage', statements: STORAGE_LEND_MIGRATION },
  {
    id: 34,
    what: 'requests for gasless keys and fids for apps',
    statements: GASLESS_REQUEST_MIGRATION,
  },
]

/** What a store holds: the tables of all features, and how they came to be. */
export type Schema = {
  readonly tables: readonly AnyTable[]
  /** In the order of their numbers. */
  readonly migrations: readonly Migration[]
  /** The number of the last migration. */
  readonly newest: number
  readonly counted: readonly RowGauge[]
  readonly checks: readonly RowCheck[]
  readonly upstream: Upstream | undefined
}

/** Finds what is wrong with the rows of a feature: `found` takes what kind it is, and a sentence. */
export type RowCheck = (
  storage: ReadsRows,
  found: (kind: string, sentence: string) => void,
) => Promise<void>

/** What a feature says about its rows. */
export type StoredPart = {
  readonly tables?: readonly AnyTable[]
  /** Append-only. Their numbers order those of all features. */
  readonly migrations?: readonly Migration[]
  /** Numbers of use, for the operator. */
  readonly counted?: readonly RowGauge[]
  /** What `rookery verify` and backups look for. */
  readonly checks?: readonly RowCheck[]
  /** What is known of another hub whose data these are. One feature has it. */
  readonly upstream?: Upstream
}

/** Joins what features store. Throws when two migrations have one number. */
export function schemaOf(features: readonly (StoredPart & { readonly name: string })[]): Schema {
  const tables = [...KERNEL_TABLES, ...features.flatMap((one) => one.tables ?? [])]
  const migrations = [...KERNEL_MIGRATIONS, ...features.flatMap((one) => one.migrations ?? [])]
  migrations.sort((a, b) => a.id - b.id)
  const repeated = migrations.find(({ id }, i) => migrations[i + 1]?.id === id)
  if (repeated) throw new Error(`two migrations have the number ${repeated.id}`)
  return {
    tables,
    migrations,
    newest: migrations.at(-1)!.id,
    counted: features.flatMap((one) => one.counted ?? []),
    checks: features.flatMap((one) => one.checks ?? []),
    upstream: features.find((one) => one.upstream)?.upstream,
  }
}

/** The database has migrations that this program does not know: it was written by a newer version. */
export class NewerSchemaError extends Error {}

/** A row of `schema_migration` that is no migration: the migrating process locks it. */
const LOCK_ROW_ID = 0
const SCHEMA_MIGRATION =
  'create table if not exists schema_migration (id bigint not null primary key, what text not null)'

/**
 * Brings the schema up to date, each migration all or nothing. Of several processes that start at once
 * one migrates and the others wait for it; those that run already go on serving. A migration may take
 * any time. Throws `NewerSchemaError` when the schema is newer than this program.
 */
export async function migrate(engine: Engine, migrations: readonly Migration[]): Promise<void> {
  const rows = await createOrFind(engine, SCHEMA_MIGRATION, 'select id from schema_migration')
  const done = new Set(rows.map(({ id }) => id))
  const newest = Math.max(...[...done].map(Number), LOCK_ROW_ID)
  const known = migrations.at(-1)?.id ?? LOCK_ROW_ID
  if (newest > known) {
    throw new NewerSchemaError(
      `The data has schema ${newest}, and this program knows schemas up to ${known}. ` +
        'It was migrated by a newer version of Rookery: run that version, or restore a backup.',
    )
  }
  for (const migration of migrations) {
    if (!done.has(migration.id)) await runMigration(engine, migration)
  }
}

/** Creates a table and reads it. PostgreSQL fails one of two processes that create a table at once; it finds the other's. */
export async function createOrFind(engine: Engine, create: string, read: string): Promise<Row[]> {
  const failure = await engine.all(create).then(
    () => undefined,
    (error: unknown) => error,
  )
  return engine.all(read).catch((error: unknown) => {
    throw failure ?? error
  })
}

function runMigration(
  engine: Engine,
  { id, what, statements, only = {} }: Migration,
): Promise<void> {
  const { dialect, isExclusive } = engine
  return engine.transaction(
    async (sql) => {
      if (!isExclusive) await lockMigrations(sql)
      if ((await sql.all('select id from schema_migration where id = ?', [id])).length > 0) return
      const common = typeof statements === 'function' ? statements(dialect) : statements
      for (const text of [...common, ...(only[dialect.engine] ?? [])]) await sql.all(text)
      await sql.all('insert into schema_migration (id, what) values (?, ?)', [id, what])
    },
    { isUnlimited: true },
  )
}

/** A row lock: other engines that speak PostgreSQL's protocol have no table locks. */
async function lockMigrations(sql: Sql): Promise<void> {
  await sql.all(
    `insert into schema_migration (id, what) values (?, 'lock of the migrating process')
     on conflict (id) do nothing`,
    [LOCK_ROW_ID],
  )
  await sql.all('select id from schema_migration where id = ? for update', [LOCK_ROW_ID])
}
