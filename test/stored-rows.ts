// Rows that tests write into tables and read from them without the server, which declares the tables.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'
import type { Field } from '../src/kernel/storage/tables/table.ts'
import { PATIENCE_MS } from './patience.ts'
import type { World } from './world.ts'

/** A word that nobody else uses, of letters and digits. */
export const word = () => randomBytes(9).toString('hex')

/** What a column holds of which only the type matters. Times are far away, so that nothing is due and nothing has expired. */
export const FILLER: Readonly<Record<Field['type'], (table: string) => string | number | Buffer>> =
  {
    line: (table) => `x-${table}`,
    text: (table) => `x-${table}`,
    link: (table) => `https://example.org/${table}`,
    fids: () => '',
    integer: () => 4e6,
    fid: () => 0,
    flag: () => 1,
    seconds: () => 4e9,
    millis: () => 4e12,
    bytes: () => randomBytes(32),
  }

const openFile = (directory: string) =>
  new DatabaseSync(join(directory, 'rookery.sqlite'), { timeout: PATIENCE_MS })

async function inFile(directory: string, text: string, values: readonly unknown[]) {
  const database = openFile(directory)
  try {
    return database.prepare(text).all(...(values as SQLInputValue[]))
  } finally {
    database.close()
  }
}

async function inDatabase(url: string, text: string, values: readonly unknown[]) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}

export type Select = (text: string, values?: readonly unknown[]) => Promise<unknown[]>

/** Runs a statement in the store of a server, beside it. Parameters are `?`. */
export const selectIn =
  ({ env }: Pick<World, 'env'>, engine: string): Select =>
  (text, values = []) =>
    engine === 'sqlite'
      ? inFile(env.ROOKERY_DATA_DIR!, text, values)
      : inDatabase(env.DATABASE_URL!, numbered(text), values)

const numbered = (text: string): string => {
  let n = 0
  return text.replaceAll('?', () => `$${++n}`)
}

export const insertRows = (
  select: Select,
  table: string,
  rows: readonly [object, ...object[]],
): Promise<unknown[]> => {
  const names = Object.keys(rows[0])
  const places = `(${names.map(() => '?').join(', ')})`
  return select(
    `insert into ${table} (${names.join(', ')}) values ${rows.map(() => places).join(', ')}`,
    rows.flatMap((row) => Object.values(row)),
  )
}

export const insertRow = (select: Select, table: string, row: object): Promise<unknown[]> =>
  insertRows(select, table, [row])

type Named = { readonly name: string; readonly text: string | null }

/** All that is in each table of the store of a server, as a text by the name of the table. */
export async function contentsOf(
  { env }: Pick<World, 'env'>,
  engine: string,
): Promise<Map<string, string>> {
  const found =
    engine === 'sqlite'
      ? contentsOfFile(env.ROOKERY_DATA_DIR!)
      : await contentsOfDatabase(env.DATABASE_URL!)
  return new Map(found.map(({ name, text }) => [name, text ?? '']))
}

function contentsOfFile(directory: string): Named[] {
  const database = openFile(directory)
  try {
    const tables = database
      .prepare(
        "select name from sqlite_master where type = 'table' and sql not like 'create virtual%'",
      )
      .all() as { name: string }[]
    return tables.map(({ name }) => ({
      name,
      text: JSON.stringify(database.prepare(`select * from "${name}"`).all()),
    }))
  } finally {
    database.close()
  }
}

async function contentsOfDatabase(url: string): Promise<Named[]> {
  const names =
    "select tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')"
  const textOf = ({ name }: { name: string }) =>
    `select '${name}' as name, string_agg(t::text, chr(10) order by t::text) as text from "${name}" t`
  const tables: { name: string }[] = await inDatabase(url, names, [])
  return inDatabase(url, tables.map(textOf).join(' union all '), [])
}
