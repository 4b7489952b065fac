// Places for the stores of tests, one for each engine.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '../../test/postgres.ts'
import { openStorage } from './storage.ts'
import type { Place } from './storage-suite.ts'

/** The network of these stores: devnet. */
export const NETWORK = '3'
/** Other tests may use all processors. */
export const PATIENT = { statementTimeoutMs: 120_000, connectTimeoutMs: 60_000 }

export async function sqlitePlace(): Promise<Place & { dir: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-store-'))
  return {
    dir,
    open: (network = NETWORK) => openStorage({ dataDir: dir, network }),
    drop: async () => rmSync(dir, { recursive: true }),
  }
}

/** A database without a schema, unless `template1` is asked for, which has one. */
export async function postgresPlace(
  template: 'template0' | 'template1' = 'template0',
  shards = 1,
): Promise<Place & { url: string }> {
  const database = await createDatabase(template)
  return {
    url: database.url,
    open: (network = NETWORK) =>
      openStorage({
        databaseUrl: database.url,
        postgresLimits: PATIENT,
        dataDir: '',
        network,
        shards,
      }),
    drop: database.drop,
  }
}
