import type { After } from '../../kernel/storage/tables/table.ts'
import { type ChannelContext, getChannel, nextVersion } from './context.ts'
import { channelRows, STORED_CHANNEL_ID } from './tables/channels.ts'

/** Following and unfollowing. The follower count changes in the transaction that changes the rows. */
export const createFollows = ({ storage, now }: ChannelContext) => ({
  /**
   * A page of followers. Throws a Rejection when the channel does not exist, which is only checked when the page is empty:
   * a channel with followers exists.
   */
  async followers(channelId: string, after: After, limit: number) {
    const isId = STORED_CHANNEL_ID.test(channelId)
    const rows = isId ? await storage.of(channelRows).followers(channelId, after, limit) : []
    if (rows.length === 0) await getChannel(storage, channelId)
    return rows
  },
  /** Following again does not change the time of the follow. */
  follow: (fid: number, channelId: string): Promise<void> =>
    storage.write(`channel/${channelId}`, async (tx) => {
      const { id } = await getChannel(tx, channelId)
      const added = await tx
        .of(channelRows)
        .addFollows([{ channel_id: id, fid, followed_at: now() }])
      if (added.length > 0)
        await tx.of(channelRows).count([{ id, followers: 1 }], await nextVersion(tx))
    }),
  unfollow: (fid: number, channelId: string): Promise<void> =>
    storage.write(`channel/${channelId}`, async (tx) => {
      const { id } = await getChannel(tx, channelId)
      const removed = await tx.of(channelRows).removeFollow(id, fid)
      if (removed) await tx.of(channelRows).count([{ id, followers: -1 }], await nextVersion(tx))
    }),
})
