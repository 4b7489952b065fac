import type { Dialect, Engine, EngineName } from '../engines/engine.ts'
import type { Row, Sql } from '../engines/sql.ts'
import { type NewestIdTexts, WHOLE_LOCKS, type WholeLock } from '../locks.ts'
import { HUB_MIGRATION } from '../migrations/001-hub.ts'
import { BLOCK_MIGRATION } from '../migrations/004-blocks.ts'
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
import {
  EMBEDDED_LINKED_ACCOUNT_MIGRATION,
  LINKED_ACCOUNT_MIGRATION,
  SERVER_LINKED_ACCOUNT_MIGRATION,
} from '../migrations/032-linked-accounts.ts'
import { STORAGE_LEND_MIGRATION } from '../migrations/033-storage-lends.ts'
import { OWNER_MIGRATION } from '../migrations/064-owners.ts'
import { type ShownConditions, type ShownTexts, shownTexts } from '../reads/shown.ts'
import type { ReadsRows } from '../rows.ts'
import type { SealedRows } from '../sealed-rows.ts'
import type { Upstream } from '../upstream.ts'
import type { RowGauge } from './activity.ts'
import { KERNEL_TOTALS, type Total } from './row-counts.ts'
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
  { id: 4, what: 'blocks', statements: BLOCK_MIGRATION },
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
  {
    id: 32,
    what: 'linked accounts',
    statements: LINKED_ACCOUNT_MIGRATION,
    only: {
      sqlite: EMBEDDED_LINKED_ACCOUNT_MIGRATION,
      postgres: SERVER_LINKED_ACCOUNT_MIGRATION,
    },
  },
  { id: 33, what: 'lent storage', statements: STORAGE_LEND_MIGRATION },
  { id: 64, what: 'rows by account', statements: OWNER_MIGRATION },
]

/** Features may bring parts of one number: each is run once, also where the feature is put into the list later. */
export type OwnedMigration = Migration & {
  /** The feature, or `kernel`. */
  readonly feature: string
}

/** What a store holds: the tables of all features, and how they came to be. */
export type Schema = {
  readonly tables: readonly AnyTable[]
  /** In the order of their numbers. */
  readonly migrations: readonly OwnedMigration[]
  /** The number of the last migration. */
  readonly newest: number
  readonly counted: readonly RowGauge[]
  readonly checks: readonly RowCheck[]
  readonly totals: readonly Total[]
  readonly upstream: Upstream | undefined
  /** Whether a feature looks at messages while they are stored. */
  readonly screensMessages: boolean
  readonly sealed: readonly SealedRows[]
  readonly declared: DeclaredSql
}

/** SQL that features declare, as text: it can be posted to threads. */
export type DeclaredSql = { readonly newestIds: NewestIdTexts; readonly shown: ShownTexts }

/** Rows that a check reports. More of them change nothing about what is to be done. */
export const MAX_ROWS_REPORTED = 500

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
  /** Totals that its writers keep. */
  readonly totals?: readonly Total[]
  /** What is known of another hub whose data these are. One feature has it. */
  readonly upstream?: Upstream
  /** Whether the feature screens messages in the transaction that stores them, on the merge thread. At most one feature does. */
  readonly screensMessages?: true
  /** Rows with secrets for which the server has the key. */
  readonly sealed?: SealedRows
  /** Under which lock its tables give ids, each with a select of the newest one as `newest`. */
  readonly newestIds?: NewestIdTexts
  /** What it hides from those who read the app API. */
  readonly shown?: ShownConditions
}

/** Joins what features store. Throws when two migrations of one feature have one number. */
export function schemaOf(features: readonly (StoredPart & { readonly name: string })[]): Schema {
  const tables = [...KERNEL_TABLES, ...features.flatMap((one) => one.tables ?? [])]
  const migrations = [
    ...KERNEL_MIGRATIONS.map((one) => ({ ...one, feature: 'kernel' })),
    ...features.flatMap(({ name: feature, migrations: own = [] }) =>
      own.map((one) => ({ ...one, feature })),
    ),
  ].sort((a, b) => a.id - b.id)
  const keys = migrations.map(partKey)
  const repeated = keys.find((key, i) => keys.indexOf(key) !== i)
  if (repeated) throw new Error(`two migrations are ${repeated}`)
  return {
    tables,
    migrations,
    newest: migrations.at(-1)!.id,
    counted: features.flatMap((one) => one.counted ?? []),
    checks: features.flatMap((one) => one.checks ?? []),
    totals: [...KERNEL_TOTALS, ...features.flatMap((one) => one.totals ?? [])],
    upstream: features.find((one) => one.upstream)?.upstream,
    screensMessages: features.some((one) => one.screensMessages),
    sealed: features.flatMap((one) => one.sealed ?? []),
    declared: {
      newestIds: newestIdsOf(features),
      shown: shownTexts(features.flatMap((one) => one.shown ?? [])),
    },
  }
}

function newestIdsOf(features: readonly StoredPart[]): NewestIdTexts {
  const textsOf = (lock: WholeLock) => features.flatMap((one) => one.newestIds?.[lock] ?? [])
  return Object.fromEntries(WHOLE_LOCKS.map((lock) => [lock, textsOf(lock)]))
}

/** The database has migrations that this program does not know: it was written by a newer version. */
export class NewerSchemaError extends Error {}

/** A row of `schema_migration` that is no migration: the migrating process locks it. */
const LOCK_ROW_ID = 0
const SCHEMA_MIGRATION =
  'create table if not exists schema_migration (id bigint not null primary key, what text not null)'
/** Which features have had their part of a migration. */
const SCHEMA_PART =
  'create table if not exists schema_part (id bigint not null, feature text not null, primary key (id, feature))'

type Part = Pick<OwnedMigration, 'id' | 'feature'>
const partKey = ({ id, feature }: Part) => `${id} of ${feature}`

/**
 * Brings the schema up to date, each migration all or nothing. Of several processes that start at once
 * one migrates and the others wait for it; those that run already go on serving. A migration may take
 * any time. Throws `NewerSchemaError` when the schema is newer than this program.
 */
export async function migrate(
  engine: Engine,
  migrations: readonly OwnedMigration[],
): Promise<void> {
  const rows = await createOrFind(engine, SCHEMA_MIGRATION, 'select id from schema_migration')
  const parts = await createOrFind(engine, SCHEMA_PART, 'select id, feature from schema_part')
  const ids = new Set(rows.map(({ id }) => Number(id)))
  const newest = Math.max(...ids, LOCK_ROW_ID)
  const known = migrations.at(-1)?.id ?? LOCK_ROW_ID
  if (newest > known) {
    throw new NewerSchemaError(
      `The data has schema ${newest}, and this program knows schemas up to ${known}. ` +
        'It was migrated by a newer version of Rookery: run that version, or restore a backup.',
    )
  }
  // Before parts were recorded no feature could be left out: a migration that was run was run whole.
  const found =
    parts.length > 0
      ? parts.map(({ id, feature }) => ({ id: Number(id), feature: String(feature) }))
      : migrations.filter(({ id }) => ids.has(id))
  if (parts.length === 0 && found.length > 0) await recordParts(engine, found)
  const done = new Set(found.map(partKey))
  for (const migration of migrations) {
    if (!done.has(partKey(migration))) await runMigration(engine, migration)
  }
}

const RECORD_PART =
  'insert into schema_part (id, feature) values (?, ?) on conflict (id, feature) do nothing'

const recordParts = (engine: Engine, parts: readonly Part[]): Promise<void> =>
  engine.transaction(async (sql) => {
    if (!engine.isExclusive) await lockMigrations(sql)
    for (const { id, feature } of parts) await sql.all(RECORD_PART, [id, feature])
  })

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
  { id, what, feature, statements, only = {} }: OwnedMigration,
): Promise<void> {
  const { dialect, isExclusive } = engine
  return engine.transaction(
    async (sql) => {
      if (!isExclusive) await lockMigrations(sql)
      const ran = 'select id from schema_part where id = ? and feature = ?'
      if ((await sql.all(ran, [id, feature])).length > 0) return
      const common = typeof statements === 'function' ? statements(dialect) : statements
      for (const text of [...common, ...(only[dialect.engine] ?? [])]) await sql.all(text)
      await sql.all(
        'insert into schema_migration (id, what) values (?, ?) on conflict (id) do nothing',
        [id, what],
      )
      await sql.all(RECORD_PART, [id, feature])
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
