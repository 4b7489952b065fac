import type { Sql } from './sql.ts'

// biome-ignore lint/complexity/noBannedTypes: filled in by the next commit
export type ActionReader = {}
export type ActionWriter = ActionReader

export const actionReader = (_sql: Sql): ActionReader => ({})
export const actionWriter = (sql: Sql): ActionWriter => ({ ...actionReader(sql) })
