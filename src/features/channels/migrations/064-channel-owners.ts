/** What an account leads, has invited to and has moderated is found without reading whole tables. */
export const CHANNEL_OWNER_MIGRATION = [
  'create index channel_lead on channel (lead_fid) where lead_fid is not null',
  'create index channel_invite_inviter on channel_invite (inviter_fid)',
  'create index channel_moderation_by on channel_moderation (by_fid)',
]
