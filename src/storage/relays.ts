import type { Sql } from './sql.ts'

// biome-ignore lint/complexity/noBannedTypes: filled in by the next commit
export type RelayReader = {}
export type RelayWriter = RelayReader

export const relayReader = (_sql: Sql): RelayReader => ({})
export const relayWriter = (sql: Sql): RelayWriter => ({ ...relayReader(sql) })
