import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { STORE_FILE } from './sqlite.ts'

/** Pages of one step of a copy: some megabytes. */
const PAGES_PER_STEP = 1_000
const OWNER_ONLY = 0o600

/** Copies the file of an embedded store into a directory by SQLite's online backup, while a server may use it. */
export async function copySqlite(dataDir: string, directory: string): Promise<string> {
  const database = new DatabaseSync(join(dataDir, STORE_FILE), { readOnly: true })
  try {
    // One snapshot: without it SQLite starts the copy again after each write, on a busy server for ever.
    database.exec('begin')
    database.prepare('select count(*) from sqlite_schema').get()
    await backup(database, join(directory, STORE_FILE), { rate: PAGES_PER_STEP })
  } finally {
    database.close()
  }
  await chmod(join(directory, STORE_FILE), OWNER_ONLY)
  return STORE_FILE
}
