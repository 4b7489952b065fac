import type { Cast } from '../../types.ts'

// People and casts in the form that apps read.

type Profile = {
  readonly username?: string
  readonly display_name?: string | null
  readonly pfp_url?: string | null
}

/** Accounts without a name are listed as !7. */
export const personOf = ({ username, display_name, pfp_url }: Profile) => ({
  ...(username && !username.startsWith('!') && { username }),
  ...(display_name && { displayName: display_name }),
  ...(pfp_url && { pfpUrl: pfp_url }),
})

/** A cast in the form that apps read. */
export const castForApps = (cast: Cast): object => ({
  author: { fid: cast.author.fid, ...personOf(cast.author) },
  hash: cast.hash,
  ...(cast.parent_hash && { parentHash: cast.parent_hash }),
  ...(cast.parent_author?.fid && { parentFid: cast.parent_author.fid }),
  timestamp: Date.parse(cast.timestamp),
  mentions: cast.mentioned_profiles.map((one) => ({ fid: one.fid, ...personOf(one) })),
  text: cast.text,
  embeds: cast.embeds.flatMap((embed) => ('url' in embed ? [embed.url] : [])),
  ...(cast.channel && { channelKey: cast.channel.id }),
})
