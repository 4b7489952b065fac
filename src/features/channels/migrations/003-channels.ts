import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Channels, who follows them, and what their owners and moderators decided. */
export const CHANNEL_MIGRATION = ({ bytes, rowKey, clustered }: Dialect) => [
  // cast_target: the target of casts whose parent is the url. moderator_fids: "2,5", at most ten, here so
  // that reading all channels joins nothing. version: of the last change, for who keeps a copy.
  `create table channel (
     id text not null primary key, url text not null unique, cast_target ${bytes} not null unique,
     name text not null, description text not null, image_url text not null,
     header_image_url text, link_title text, link_url text,
     lead_fid bigint, moderator_fid bigint, moderator_fids text not null,
     public_casting bigint not null, pinned_hash ${bytes}, created_at bigint not null,
     created_by bigint, follower_count bigint not null, member_count bigint not null,
     version bigint not null, check (follower_count >= 0), check (member_count >= 0)) ${clustered}`,
  'create index channel_version on channel (version, id)',
  'create index channel_creator on channel (created_by) where created_by is not null',
  'create index channel_pin on channel (pinned_hash) where pinned_hash is not null',

  // Counted in channel.follower_count by the transaction that changes them.
  `create table channel_follow (
     channel_id text not null, fid bigint not null, followed_at bigint not null,
     primary key (channel_id, fid)) ${clustered}`,
  'create index channel_follow_newest on channel_follow (channel_id, followed_at desc, fid)',
  'create index channel_follow_newest_of on channel_follow (fid, followed_at desc, channel_id)',

  // Owner and moderators are members too; the members are counted in channel.member_count.
  `create table channel_standing (
     channel_id text not null, fid bigint not null, standing text not null, since bigint not null,
     primary key (channel_id, fid), check (standing in ('member', 'restricted', 'banned'))) ${clustered}`,
  'create index channel_standing_newest on channel_standing (standing, since desc, channel_id, fid)',
  'create index channel_standing_newest_in on channel_standing (channel_id, standing, since desc, fid)',
  'create index channel_standing_newest_of on channel_standing (fid, standing, since desc, channel_id)',

  `create table channel_invite (
     channel_id text not null, invited_fid bigint not null, inviter_fid bigint not null,
     role text not null, invited_at bigint not null, primary key (channel_id, invited_fid),
     check (role in ('member', 'moderator'))) ${clustered}`,
  'create index channel_invite_newest on channel_invite (invited_at desc, channel_id, invited_fid)',
  `create index channel_invite_newest_in
     on channel_invite (channel_id, invited_at desc, invited_fid)`,
  `create index channel_invite_newest_of
     on channel_invite (invited_fid, invited_at desc, channel_id)`,
  "create index channel_invite_moderator on channel_invite (channel_id) where role = 'moderator'",

  // A log; of the actions on one cast the newest counts.
  `create table channel_moderation (
     id ${rowKey}, channel_id text not null, cast_hash ${bytes} not null, action text not null,
     moderated_at bigint not null, by_fid bigint not null, check (action in ('hide', 'unhide')))`,
  'create index channel_moderation_newest on channel_moderation (moderated_at desc, id desc)',
  `create index channel_moderation_newest_in
     on channel_moderation (channel_id, moderated_at desc, id desc)`,
  'create index channel_moderation_cast on channel_moderation (channel_id, cast_hash, id)',

  `create table channel_reserved (id text not null primary key) ${clustered}`,
]
