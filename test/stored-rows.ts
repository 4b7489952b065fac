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

async function inFile(directory: string, text: string, values: readonly unknown[]) {
  const database = new DatabaseSync(join(directory, 'rookery.sqlite'), { timeout: PATIENCE_MS })
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
