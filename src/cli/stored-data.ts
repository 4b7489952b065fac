import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { Failure } from './failure.ts'

/** Throws a Failure unless the settings name a database, or a directory with data. */
export async function checkData({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<void> {
  const { STORE_FILE } = await import('../kernel/storage/engines/sqlite.ts')
  if (databaseUrl !== undefined || existsSync(join(dataDir, STORE_FILE))) return
  throw new Failure(
    `there is no data in ${dataDir}. Set ROOKERY_DATA_DIR to the data directory of the server, or DATABASE_URL to ` +
      'its PostgreSQL, as the server has them',
  )
}
