import { openWholeStore } from '../src/store.ts'
// Places for the stores of tests, one for each engine.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Row, Sql } from '../src/kernel/storage/engines/sql.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { createDatabase, PATIENT } from './postgres.ts'
import type { Place } from './storage-suite.ts'
import type { EngineName } from './world.ts'

/** The network of these stores: devnet. */
export const NETWORK = '3'

export async function sqlitePlace(): Promise<Place & { dir: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-store-'))
  return {
    dir,
    open: (network = NETWORK) => openWholeStore({ dataDir: dir, network }),
    drop: async () => rmSync(dir, { recursive: true }),
  }
}

/** A database without a schema, unless `template1` is asked for, which has one. */
export async function postgresPlace(
  template: 'template0' | 'template1' = 'template0',
): Promise<Place & { url: string }> {
  const database = await createDatabase(template)
  return {
    url: database.url,
    open: (network = NETWORK) =>
      openWholeStore({
        databaseUrl: database.url,
        postgresLimits: PATIENT,
        dataDir: '',
        network,
      }),
    drop: database.drop,
  }
}

type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }

/** Explains what is asked instead of answering it, and adds up the pages that were looked at. */
export function explaining(sql: Sql): { sql: Sql; pages(): number } {
  let pages = 0
  const all: Sql['all'] = async (text, parameters) => {
    const explain = `explain (analyze, buffers, format json) ${text}`
    const rows = (await sql.all(explain, parameters)) as (Row & { 'QUERY PLAN': unknown })[]
    const [{ Plan: plan }] = rows[0]!['QUERY PLAN'] as [{ Plan: Plan }]
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    return rows
  }
  const bundled: Sql['bundled'] = ({ text }, parameters) => all(text, parameters)
  return { sql: { ...sql, all, bundled }, pages: () => pages }
}

/** A store for one test, which ends with it. */
export async function openStore(
  t: { after(end: () => Promise<void>): void },
  engine: EngineName = 'sqlite',
): Promise<Storage> {
  const place = await (engine === 'sqlite' ? sqlitePlace() : postgresPlace('template1'))
  const storage = await place.open()
  t.after(async () => {
    await storage.close()
    await place.drop()
  })
  return storage
}
