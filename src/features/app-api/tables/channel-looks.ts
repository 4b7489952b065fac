import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** When a user last looked at a channel, in any app, and which of its rules the user has read. */
export const CHANNEL_LOOKS = table('channel_look', {
  fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
  channel_id: { type: 'line', words: false, key: true },
  /** Network seconds; of who has read only its rules when they came to it. */
  seen_at: { type: 'integer' },
  /** The hash of the rules that were read; null: none. */
  rules_hash: { type: 'bytes', withheld: false, null: true },
})
export type ChannelLook = RowOf<typeof CHANNEL_LOOKS>

/** Channels of which one user's look is kept: who has more of them loses count of the ones not looked at for longest. */
export const MAX_LOOKS = 1_000

export const channelLookReader = (sql: Sql) => ({
  of: (fid: number, channelIds: readonly string[]) =>
    CHANNEL_LOOKS.findAll(
      sql,
      channelIds.map((channel_id) => ({ fid, channel_id })),
    ),
  count: (fid: number) => CHANNEL_LOOKS.count(sql, 'where fid = ?', [fid]),
})

export const channelLookWriter = (sql: Sql) => ({
  ...channelLookReader(sql),
  put: (look: ChannelLook) => CHANNEL_LOOKS.upsert(sql, [look]),
  /** Forgets one: the oldest. */
  removeOldest: (fid: number) =>
    CHANNEL_LOOKS.removeWhere(
      sql,
      `fid = ? and channel_id = (select l.channel_id from channel_look l where l.fid = ?
         order by l.seen_at, l.channel_id limit 1)`,
      [fid, fid],
    ),
})

/** `storage.of(channelLookRows)` reads this table, and `tx.of(channelLookRows)` writes it. */
export const channelLookRows = rowsOf(channelLookReader, ({ sql }) => channelLookWriter(sql))
