import { type ChannelRow, moderatorsOf } from '../../../kernel/app-api/channels.ts'
import type { AppContext, Viewer } from '../../../kernel/app-api/context.ts'
import { hydrate, unixTimeOf } from '../../../kernel/app-api/objects/hydrate.ts'
import type { Channel, Role } from '../../../kernel/app-api/schemas.ts'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { channelRows } from '../../channels/port.ts'

/** The role of a member; the owner and moderators are named in the channel's own row. */
export function memberRole(channel: ChannelRow, fid: number): Role {
  if (channel.lead_fid === fid) return 'owner'
  return moderatorsOf(channel).includes(fid) ? 'moderator' : 'member'
}

/** Makes channels of a list, in their order, with at most five statements. */
export async function channelsOf(
  context: AppContext,
  viewer: Viewer,
  rows: readonly ChannelRow[],
): Promise<Channel[]> {
  const leads = [...new Set(rows.flatMap(({ lead_fid }) => lead_fid ?? []))]
  const [found, relationTo] = await Promise.all([
    hydrate(context, viewer, { users: leads }),
    viewer.viewer === undefined ? undefined : viewerRelations(context, viewer.viewer, rows),
  ])
  return rows.map((row) => {
    const lead = row.lead_fid === null ? undefined : found.user(row.lead_fid)
    return {
      object: 'channel',
      id: row.id,
      url: row.url,
      parent_url: row.url,
      name: row.name,
      description: row.description,
      image_url: row.image_url,
      follower_count: row.follower_count,
      member_count: row.member_count,
      moderator_fids: moderatorsOf(row).filter((fid) => fid !== row.lead_fid),
      created_at: unixTimeOf(row.created_at),
      ...(lead && { lead }),
      ...(row.link_url !== null && {
        external_link: {
          ...(row.link_title !== null && { title: row.link_title }),
          url: row.link_url,
        },
      }),
      ...(row.pinned_hash !== null && { pinned_cast_hash: toHex(row.pinned_hash) }),
      ...(relationTo && { viewer_context: relationTo(row) }),
    }
  })
}

/** A channel that is read alone, with its rules, which would be most of a list. */
export async function wholeChannelOf(
  context: AppContext,
  viewer: Viewer,
  row: ChannelRow,
): Promise<Channel> {
  const [channel] = await channelsOf(context, viewer, [row])
  return { ...channel!, ...(row.rules !== null && { rules: row.rules }) }
}

async function viewerRelations(
  { storage }: AppContext,
  viewer: number,
  rows: readonly ChannelRow[],
): Promise<(channel: ChannelRow) => { following: boolean; role?: Role }> {
  const keys = rows.map(({ id }) => ({ channel_id: id, fid: viewer }))
  const [follows, memberships] = await Promise.all([
    storage.of(channelRows).followsOf(keys),
    storage.of(channelRows).membershipsOf(keys),
  ])
  const followed = new Set(follows.map(({ channel_id }) => channel_id))
  const joined = new Set(
    memberships.filter(({ standing }) => standing === 'member').map(({ channel_id }) => channel_id),
  )
  return (channel) => {
    const isModerator = moderatorsOf(channel).includes(viewer)
    return {
      following: followed.has(channel.id),
      ...((joined.has(channel.id) || isModerator) && { role: memberRole(channel, viewer) }),
    }
  }
}
