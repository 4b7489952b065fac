import { join } from 'node:path'
import type { Engine } from '../engines/engine.ts'
import { openPostgres, type PostgresLimits } from '../engines/postgres.ts'
import type { Sql } from '../engines/sql.ts'
import { openDerivedSqlite } from '../engines/sqlite.ts'

/** The views as their thread writes them. */
export type ViewStore = {
  readonly engine: Engine
  /**
   * Runs `work` in one transaction. No two overlap, in any process. A commit survives the end of the process
   * but perhaps not a power cut; then whole transactions are undone, the last ones first.
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Where the store is, and with it the views. */
type Place = {
  readonly databaseUrl?: string | undefined
  readonly postgresLimits?: Partial<PostgresLimits>
  readonly dataDir: string
}

export const viewsFile = ({ dataDir }: Place) => join(dataDir, 'views.sqlite')

/** The engine that holds the views. On SQLite it sees nothing of the store itself. */
export function openViewEngine(settings: Place): Engine {
  const { databaseUrl, postgresLimits } = settings
  if (!databaseUrl) return openDerivedSqlite(viewsFile(settings))
  return openPostgres(databaseUrl, { ...postgresLimits, readConnections: 1, writeConnections: 1 })
}

/** Opens the views for writing. Their tables exist: `openStorage` has created them. */
export function openViewStore(settings: Place): ViewStore {
  const engine = openViewEngine(settings)
  // Only one process writes at a time.
  const opening = engine.isExclusive
    ? []
    : [{ text: 'select version from view_version where id = 1 for update' }]
  return {
    engine,
    write: (work) => engine.transaction((sql) => work(sql), { opening, isDerived: true }),
    close: () => engine.close(),
  }
}
