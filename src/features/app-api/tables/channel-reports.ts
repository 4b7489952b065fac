import { fragment, raw } from '../../../kernel/storage/engines/fragment.ts'
import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { hasHash } from '../../../kernel/storage/messages/messages.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { query } from '../../../kernel/storage/tables/table.ts'
import { isShownInChannel } from '../../channels/port.ts'

// Reports about casts in a channel, for those who moderate it. They stay in the queue of the operator, too.

/** Open reports of the whole server that are looked at for one list. */
export const MAX_SCANNED = 1_000

export type ChannelReport = {
  readonly id: number
  readonly reason: string
  /** Unix seconds. */
  readonly created_at: number
  /** Of the cast. */
  readonly key: Uint8Array
}

export const channelReportReader = (sql: Sql) => ({
  /** The newest open reports about casts whose threads are in a place, unless moderators of its channel, but for the author, have decided about the cast since, or it is hidden there; those of the server (fid 0) are about casts that nobody sees yet. Who moderates sees none about themselves. */
  list: (
    { channelId, place, viewer }: { channelId: string; place: number; viewer: number },
    limit: number,
  ): Promise<ChannelReport[]> =>
    query(
      sql,
      fragment`select r.id, r.reason, r.created_at, p.key
         from (select id, reason, created_at, cast_hash from moderation_report
                where state = 'open' and reporter_fid <> 0 and cast_hash is not null and fid <> ${viewer}
                order by id desc limit ${raw(MAX_SCANNED)}) r
         join message m on ${raw(hasHash('r.cast_hash'))}
         join view_post p on p.key = substr(m.slot, 2)
        where p.place = ${place} and ${isShownInChannel(channelId)}
          and (select 1 from channel_moderation a
                where a.channel_id = ${channelId} and a.cast_hash = r.cast_hash and a.moderated_at >= r.created_at
                  and a.by_fid <> m.fid
                limit 1) is null
        order by r.id desc limit (${limit} + 0)`,
    ),
})

/** Nothing writes to them here. */
export const channelReportRows = rowsOf(channelReportReader, ({ sql }) => channelReportReader(sql))
