import { chmod } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'

/** Pages of one step of a copy: some megabytes. */
const PAGES_PER_STEP = 1_000
const OWNER_ONLY = 0o600

/** Copies a database that others may be using into a new file, by SQLite's online backup. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    // One snapshot: without it SQLite starts the copy again after each write, on a busy server for ever.
    database.exec('begin')
    database.prepare('select count(*) from sqlite_schema').get()
    await backup(database, to, { rate: PAGES_PER_STEP })
  } finally {
    database.close()
  }
  await chmod(to, OWNER_ONLY)
}
