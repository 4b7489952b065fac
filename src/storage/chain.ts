import type { Sql } from './sql.ts'

// biome-ignore lint/complexity/noBannedTypes: filled in by the next commit
export type ChainReader = {}
export type ChainWriter = ChainReader

export const chainReader = (_sql: Sql): ChainReader => ({})
export const chainWriter = (sql: Sql): ChainWriter => ({ ...chainReader(sql) })
