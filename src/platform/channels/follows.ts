import { type ChannelContext, getChannel, nextVersion } from './context.ts'

/** Following and not: the count is of the rows, and changes with them in one transaction. */
export type Follows = ReturnType<typeof createFollows>

export const createFollows = ({ storage, now }: ChannelContext) => ({
  /** Who follows already keeps the time since when. */
  follow: (fid: number, channelId: string): Promise<void> =>
    storage.write('platform', async (tx) => {
      const { id } = await getChannel(tx, channelId)
      const added = await tx.channels.addFollows([{ channel_id: id, fid, followed_at: now() }])
      if (added.length > 0) await tx.channels.count([{ id, followers: 1 }], await nextVersion(tx))
    }),
  unfollow: (fid: number, channelId: string): Promise<void> =>
    storage.write('platform', async (tx) => {
      const { id } = await getChannel(tx, channelId)
      const removed = await tx.channels.removeFollow(id, fid)
      if (removed) await tx.channels.count([{ id, followers: -1 }], await nextVersion(tx))
    }),
})
