import { type Locking, lockWhole, WHOLE_LOCKS } from '../../locks.ts'
import {
  checkRoom,
  checkVersion,
  type NewestIds,
  type Snapshots,
  type SnapshotVersion,
  unknownSnapshot,
} from '../../snapshots.ts'
import type { Engine } from '../engine.ts'
import type { Sql } from '../sql.ts'

// Snapshots are schemas with copies of all tables: nobody has to leave the database, as its use as a template would ask. Going back
// writes only the rows that differ. Which ones may differ follows from the transactions that wrote them.

const PREFIX = 'rookery_snapshot_'
const MIGRATIONS = 'schema_migration'
const PARTS = 'schema_part'
/** Not put back: the schema, who leads, and the rows that writers lock. */
const KEPT_TABLES = [MIGRATIONS, PARTS, 'lease', 'lock']
/** In the schema of a snapshot: how many rows each table had, and when, as PostgreSQL counts transactions. */
const COUNTS = 'snapshot_count'
const MOMENT = 'snapshot_moment'
/** Tables are copied and compared from the first to the last row. */
const WHOLE_TABLES = { isUnlimited: true }
/** A query over all tables looks expensive. To start processes for it, or to compile it, takes longer than to run it. */
const BY_ITSELF =
  "select set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true)"
/** Transactions are numbered with 32 bits in rows, and with 64 elsewhere. */
const MAX_ROW_TRANSACTION = 2 ** 32

export function postgresSnapshots(engine: Engine, locking: Locking): Snapshots {
  const list = async () => {
    const found = await engine.all(
      'select nspname from pg_namespace where starts_with(nspname, ?)',
      [PREFIX],
    )
    return found.map(({ nspname }) => String(nspname).slice(PREFIX.length)).sort()
  }
  const checkKnown = async (name: string) => {
    const kept = await list()
    if (!kept.includes(name)) unknownSnapshot(name, kept)
  }
  return {
    list,
    directoryOf: () => undefined,
    close: () => {},
    async save(name) {
      checkRoom(name, await list())
      const schema = schemaOf(name)
      await engine.transaction(async (sql) => {
        await lockEverything(sql, locking)
        await sql.all(`drop schema if exists ${schema} cascade`)
        await sql.all(`create schema ${schema}`)
        for (const table of await tablesIn(sql)) {
          await sql.all(`create table ${schema}.${table} as table ${table}`)
        }
        await sql.all(`create table ${schema}.${COUNTS} (name text primary key, rows bigint)`)
        for (const table of await tablesIn(sql)) {
          await sql.all(`insert into ${schema}.${COUNTS} select '${table}', count(*) from ${table}`)
        }
        await sql.all(`create table ${schema}.${MOMENT} (seen pg_snapshot, writer xid8)`)
        await keepMoment(sql, schema)
      }, WHOLE_TABLES)
    },
    async revert(name, finish) {
      await checkKnown(name)
      const schema = schemaOf(name)
      const [found, own] = await Promise.all([versionIn(engine, `${schema}.`), versionIn(engine)])
      checkVersion(name, found, own)
      await engine.transaction(async (sql) => {
        await sql.all(BY_ITSELF)
        const newest = await lockEverything(sql, locking)
        for (const change of await changesSince(sql, schema)) await putBack(sql, schema, change)
        await keepMoment(sql, schema)
        await finish(sql, newest)
      }, WHOLE_TABLES)
    },
    async remove(name) {
      await checkKnown(name)
      await engine.transaction((sql) => sql.all(`drop schema ${schemaOf(name)} cascade`))
    },
  }
}

const schemaOf = (name: string) => `"${PREFIX}${name}"`

/** Holds off every writer, and returns the newest ids. */
async function lockEverything(sql: Sql, locking: Locking): Promise<NewestIds> {
  const newest = new Map<string, number>()
  for (const lock of WHOLE_LOCKS) newest.set(lock, await lockWhole(sql, lock, locking))
  if (await hasTable(sql, 'view_version')) await sql.all('select from view_version for update')
  return newest
}

async function tablesIn(sql: Sql): Promise<string[]> {
  const found = await sql.all(
    'select tablename from pg_tables where schemaname = current_schema() order by tablename',
  )
  return found.map(({ tablename }) => String(tablename))
}

/** Every row that is there now is as the snapshot has it. */
async function keepMoment(sql: Sql, schema: string): Promise<void> {
  await sql.all(`delete from ${schema}.${MOMENT}`)
  await sql.all(
    `insert into ${schema}.${MOMENT} values (pg_current_snapshot(), pg_current_xact_id())`,
  )
}

/** Of the transaction `x` beside the moment `m`: what it wrote was written after that. */
const IS_LATER =
  'm.writer <> n.x::text::xid8 and not pg_visible_in_snapshot(n.x::text::xid8, m.seen)'

/** `writers`: transactions that wrote rows since then, a list with commas; undefined when rows do not tell. */
type Change = {
  readonly table: string
  readonly writers: string | undefined
  readonly missing: number
}

/** The tables that differ from the snapshot. */
async function changesSince(sql: Sql, schema: string): Promise<Change[]> {
  // Later numbers of transactions do not tell which rows are newer. None do in a database that was restored from a dump: the
  // moment was written by another transaction there.
  const [moment] = await sql.all(
    `select case when m.xmin::text = m.writer::text and pg_current_xact_id()::text::bigint < ${MAX_ROW_TRANSACTION}
                 then 1 else 0 end as told,
            case when pg_snapshot_xmin(m.seen) = m.writer
                  and pg_current_xact_id()::text::bigint = m.writer::text::bigint + 1
                 then 1 else 0 end as untouched
       from ${schema}.${MOMENT} m`,
  )
  const isTold = moment?.told === 1
  // No transaction of this server has written anything since, in whichever database, nor was one under way then.
  if (isTold && moment?.untouched === 1) return []
  const tables = (await tablesIn(sql)).filter((table) => !KEPT_TABLES.includes(table))
  if (!isTold) return tables.map((table) => ({ table, writers: undefined, missing: -1 }))
  // Few transactions wrote many rows: each is looked at once.
  const written = tables.map(
    (table) => `select '${table}' as name, xmin as x, count(*) as rows from ${table} group by xmin`,
  )
  const found = await sql.all(
    `select k.name, w.writers, k.rows - coalesce(w.kept, 0) as missing
       from ${schema}.${COUNTS} k left join (
         select n.name, sum(n.rows) filter (where not (${IS_LATER})) as kept,
                string_agg(n.x::text, ',') filter (where ${IS_LATER}) as writers
           from (${written.join(' union all ')}) n cross join ${schema}.${MOMENT} m group by n.name
       ) w on w.name = k.name
      where k.name not in (${KEPT_TABLES.map((table) => `'${table}'`).join(', ')})
        and (w.writers is not null or k.rows > coalesce(w.kept, 0))`,
  )
  return found.map(({ name, writers, missing }) => ({
    table: String(name),
    writers: String(writers ?? ''),
    missing: Number(missing),
  }))
}

async function putBack(
  sql: Sql,
  schema: string,
  { table, writers, missing }: Change,
): Promise<void> {
  const copy = `${schema}.${table}`
  if (writers === undefined) {
    await sql.all(
      `delete from ${table} t where not exists (select from ${copy} s where s::text = t::text)`,
    )
  } else if (writers !== '') {
    const written = "xmin = any(string_to_array(?, ',')::xid[])"
    await sql.all(`delete from ${table} where ${written}`, [writers])
  }
  if (missing === 0) return
  const keys = await keysOf(sql, table)
  const isSame =
    writers === undefined || keys.length === 0
      ? 's::text = t::text'
      : keys.map((key) => `s.${key} = t.${key}`).join(' and ')
  await sql.all(
    `insert into ${table} select * from ${copy} s where not exists (select from ${table} t where ${isSame})
       on conflict do nothing`,
  )
}

/** The columns of the primary key. */
async function keysOf(sql: Sql, table: string): Promise<string[]> {
  const found = await sql.all(
    `select quote_ident(a.attname) as name from pg_index i
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indisprimary and i.indrelid = '${table}'::regclass`,
  )
  return found.map(({ name }) => String(name))
}

const hasTable = async (sql: Sql, name: string): Promise<boolean> => {
  const [found] = await sql.all(
    `select case when to_regclass('${name}') is null then 0 else 1 end as there`,
  )
  return found?.there === 1
}

async function versionIn(sql: Sql, schema = ''): Promise<SnapshotVersion> {
  const numberOf = async (text: string) => Number((await sql.all(text))[0]?.number)
  const hasViews = await hasTable(sql, `${schema}view_version`)
  const [last, parts, views] = await Promise.all([
    numberOf(`select max(id) as number from ${schema}${MIGRATIONS}`),
    numberOf(`select count(*) as number from ${schema}${PARTS}`),
    hasViews ? numberOf(`select version as number from ${schema}view_version`) : 0,
  ])
  return { schema: last, parts, views }
}
