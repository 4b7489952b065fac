// A store of the embedded engine that has the schema: tests copy it, as they copy a database of the test server. To run all
// migrations is half of what the start of a small server costs.

import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite, STORE_FILE } from '../src/kernel/storage/engines/sqlite.ts'
import { migrate } from '../src/kernel/storage/tables/schema.ts'
import { SCHEMA } from '../src/store.ts'

/** Makes it in a directory and says its file, which test files find in TEST_STORE. */
export async function makeStoreTemplate(directory: string): Promise<string> {
  const file = join(directory, STORE_FILE)
  const engine = openSqlite(file, { flushes: false })
  try {
    await migrate(engine, SCHEMA.migrations)
  } finally {
    await engine.close()
  }
  return file
}

/** Gives a data directory that is still empty a store with the schema. A file that runs without the setup of a run makes its own. */
export function copyStoreTemplate(dataDir: string): void {
  const { TEST_STORE } = process.env
  if (TEST_STORE === undefined) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  copyFileSync(TEST_STORE, join(dataDir, STORE_FILE))
}
