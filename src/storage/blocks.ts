import type { Sql } from './sql.ts'

// biome-ignore lint/complexity/noBannedTypes: filled in by the next commit
export type BlockReader = {}
export type BlockWriter = BlockReader

export const blockReader = (_sql: Sql): BlockReader => ({})
export const blockWriter = (sql: Sql): BlockWriter => ({ ...blockReader(sql) })
