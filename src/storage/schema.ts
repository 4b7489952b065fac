import type { Engine } from './sql.ts'

// Every table, as a list of migrations that only ever grows. The text is SQL with words that
// the engines spell differently: BYTES (as everywhere), ROWKEY (a primary key that grows) and CLUSTERED.

type Migration = { readonly id: number; readonly what: string; readonly statements: string[] }

export const MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    what: 'hub, accounts and ledger',
    statements: [
      // A row for each kind of writers, whose lock orders them; `value` is the newest id they gave.
      'create table lock (name text not null primary key, turns bigint not null, value bigint not null)',

      // A message's id is the id of the event that reported its merge.
      `create table message (
         id ROWKEY, fid bigint not null, store bigint not null, type bigint not null,
         timestamp bigint not null, hash BYTES not null, slot BYTES not null, target BYTES,
         signer BYTES not null, signature BYTES not null, form bigint not null, data BYTES not null)`,
      'create unique index message_slot on message (slot)',
      'create index message_order on message (fid, store, timestamp, hash)',
      'create index message_target on message (target, timestamp, hash, fid) where target is not null',
      `create table mention (
         mentioned bigint not null, timestamp bigint not null, hash BYTES not null,
         fid bigint not null, id bigint not null,
         primary key (mentioned, timestamp, hash, fid)) CLUSTERED`,
      'create index mention_message on mention (id)',
      `create table usage (
         fid bigint not null, store bigint not null, count bigint not null,
         primary key (fid, store)) CLUSTERED`,

      // message: the message's bytes once they have left the message table, else null.
      // deleted: the messages that the event's message replaced.
      'create table event (id ROWKEY, type bigint not null, body BYTES, message BYTES, deleted BYTES)',

      `create table name_proof (
         name BYTES not null primary key, fid bigint not null, owner BYTES not null,
         timestamp bigint not null, signature BYTES not null) CLUSTERED`,
      'create index name_proof_fid on name_proof (fid)',

      `create table chain_event (
         fid bigint not null, type bigint not null, block_number bigint not null,
         log_index bigint not null, body BYTES not null,
         primary key (fid, type, block_number, log_index)) CLUSTERED`,
      `create table custody (
         fid bigint not null primary key, address BYTES not null,
         block_number bigint not null, log_index bigint not null, recovery BYTES not null,
         recovery_block bigint not null, recovery_log bigint not null) CLUSTERED`,
      'create index custody_address on custody (address)',
      `create table signer (
         fid bigint not null, key BYTES not null, active bigint not null,
         block_number bigint not null, log_index bigint not null,
         primary key (fid, key)) CLUSTERED`,
      `create table storage_rent (
         fid bigint not null, block_number bigint not null, log_index bigint not null,
         rented_at bigint not null, units bigint not null,
         primary key (fid, block_number, log_index)) CLUSTERED`,

      `create table ledger_nonce (
         contract text not null, address BYTES not null, nonce bigint not null,
         primary key (contract, address)) CLUSTERED`,
      // Events of accepted calls that wait for their confirmation time.
      'create table ledger_pending (seq ROWKEY, confirm_at bigint not null, body BYTES not null)',

      'create table cursor (name text not null primary key, value text not null)',
    ],
  },
  {
    id: 2,
    what: 'name registry',
    statements: [
      // Two transfers of a name at one time would have the same server signature: followers of the
      // log would take the second for a repeat of the first.
      `create table name_transfer (
         id ROWKEY, timestamp bigint not null, username text not null, owner BYTES not null,
         from_fid bigint not null, to_fid bigint not null, user_signature BYTES not null,
         server_signature BYTES not null, acting_fid bigint not null,
         check (from_fid <> to_fid), unique (username, timestamp))`,
      'create index name_transfer_time on name_transfer (timestamp, id)',
      'create index name_transfer_from on name_transfer (from_fid, id)',
      'create index name_transfer_to on name_transfer (to_fid, id)',
      // Who holds what now: one holder a name, one name a fid.
      `create table name_holder (
         username text not null primary key, fid bigint not null unique,
         transfer_id bigint not null, check (fid > 0)) CLUSTERED`,
    ],
  },
]

/** Every table that holds data; `lock` and the record of migrations are the store's own. */
export const DATA_TABLES: readonly string[] = MIGRATIONS.flatMap(({ statements }) =>
  statements.flatMap((statement) => /^create table (\w+)/.exec(statement)?.[1] ?? []),
).filter((table) => table !== 'lock')

/** Brings the schema up to date, all or nothing for each migration. Safe when several processes start. */
export async function migrate(engine: Engine): Promise<void> {
  // PostgreSQL fails one of two processes that create a table at once; it finds the other's.
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
