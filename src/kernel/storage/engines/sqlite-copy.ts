import { join } from 'node:path'
import { STORE_FILE } from './sqlite.ts'
import { copyDatabase } from './sqlite-content.ts'

/** Copies the file of an embedded store into a directory, while a server may use it. */
export async function copySqlite(dataDir: string, directory: string): Promise<string> {
  await copyDatabase(join(dataDir, STORE_FILE), join(directory, STORE_FILE))
  return STORE_FILE
}
