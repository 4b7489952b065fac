import type { Sql } from './sql.ts'

// biome-ignore lint/complexity/noBannedTypes: filled in by the next commit
export type KeyRequestReader = {}
export type KeyRequestWriter = KeyRequestReader

export const keyRequestReader = (_sql: Sql): KeyRequestReader => ({})
export const keyRequestWriter = (sql: Sql): KeyRequestWriter => ({ ...keyRequestReader(sql) })
