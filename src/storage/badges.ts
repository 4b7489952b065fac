import type { Sql } from './sql.ts'

// biome-ignore lint/complexity/noBannedTypes: filled in by the next commit
export type BadgeReader = {}
export type BadgeWriter = BadgeReader

export const badgeReader = (_sql: Sql): BadgeReader => ({})
export const badgeWriter = (sql: Sql): BadgeWriter => ({ ...badgeReader(sql) })
