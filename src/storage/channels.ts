import type { Sql } from './sql.ts'

// biome-ignore lint/complexity/noBannedTypes: filled in by the next commit
export type ChannelReader = {}
export type ChannelWriter = ChannelReader

export const channelReader = (_sql: Sql): ChannelReader => ({})
export const channelWriter = (sql: Sql): ChannelWriter => ({ ...channelReader(sql) })
