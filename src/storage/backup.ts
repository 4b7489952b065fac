// Copies of an embedded store that are taken while it is in use, by SQLite's online backup.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { MIGRATIONS } from './tables/schema.ts'

/** Pages of one step of a copy: some megabytes. */
const PAGES_PER_STEP = 1_000
const OWNER_ONLY = 0o600

/** The newest schema that this program knows. */
export const SCHEMA = MIGRATIONS.at(-1)!.id

export type BackupFile = { readonly name: string; readonly bytes: number; readonly sha256: string }

/** Copies the file of an embedded store into a directory while a server may use it. */
export async function copySqlite(source: string, directory: string): Promise<string[]> {
  const name = 'rookery.sqlite'
  const database = new DatabaseSync(source, { readOnly: true })
  try {
    // One snapshot: without it SQLite starts the copy again after each write, on a busy server for ever.
    database.exec('begin')
    database.prepare('select count(*) from sqlite_schema').get()
    await copyDatabase(database, join(directory, name), { rate: PAGES_PER_STEP })
  } finally {
    database.close()
  }
  await chmod(join(directory, name), OWNER_ONLY)
  return [name]
}

/** Size and hash of a file of a backup. */
export async function describeFile(directory: string, name: string): Promise<BackupFile> {
  const path = join(directory, name)
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { name, bytes: (await stat(path)).size, sha256: hash.digest('hex') }
}
