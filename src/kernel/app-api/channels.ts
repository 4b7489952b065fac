import { fidsOf } from '../storage/tables/table-json.ts'
import type { ChannelDehydrated } from './schemas.ts'

// Channels, as the app API shows them. Who keeps them passes its rows.

export type ChannelRow = {
  readonly id: string
  /** The parent url of casts in the channel. */
  readonly url: string
  readonly name: string
  readonly description: string
  readonly image_url: string
  readonly lead_fid: number | null
  readonly moderator_fid: number | null
  readonly moderator_fids: string
  readonly created_at: number
  readonly follower_count: number
  readonly member_count: number
  readonly pinned_hash: Uint8Array | null
  readonly link_title: string | null
  readonly link_url: string | null
  readonly public_casting: number
  readonly rules: string | null
}

/** The channels of one version. */
export type Channels = {
  readonly byId: ReadonlyMap<string, ChannelRow>
  readonly byUrl: ReadonlyMap<string, ChannelRow>
  /** By number of followers, the greatest first, then by id. */
  readonly byFollowers: readonly ChannelRow[]
}

/** The owner and the moderators of a channel. */
export const moderatorsOf = (
  channel: Pick<ChannelRow, 'lead_fid' | 'moderator_fid' | 'moderator_fids'>,
): number[] =>
  [channel.lead_fid, channel.moderator_fid, ...fidsOf(channel.moderator_fids)].filter(
    (fid) => fid !== null,
  )

export const dehydratedChannel = ({ id, name, image_url }: ChannelRow): ChannelDehydrated => ({
  object: 'channel_dehydrated',
  id,
  name,
  image_url,
})
