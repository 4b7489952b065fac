import { MAX_ROWS_REPORTED, type RowCheck } from '../../kernel/storage/tables/schema.ts'
import { channelRows } from './tables/channels.ts'

/** Reports channels whose counts differ from their rows. */
export const checkChannelCounts: RowCheck = async (storage, found) => {
  for (const channel of await storage.of(channelRows).miscounted(MAX_ROWS_REPORTED)) {
    const { id, follower_count, followers, member_count, members } = channel
    const counts = `${follower_count} followers and ${member_count} members`
    found('channel count', `${id} counts ${counts} of ${followers} and ${members}`)
  }
}
