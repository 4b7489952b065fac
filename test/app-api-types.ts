// Checked by the compiler alone: what the app API declares to answer fits what the published client declares.

import type * as sdk from '@neynar/nodejs-sdk/build/api/index.js'
import type { Static, TSchema } from 'typebox'
import type * as ours from '../src/kernel/app-api/schemas.ts'

/** A type of the client with the texts of its enumerations, which TypeScript tells apart from literals. */
type Plain<T> = T extends string
  ? `${T}`
  : T extends (infer Item)[]
    ? Plain<Item>[]
    : T extends object
      ? { [Name in keyof T]: Plain<T[Name]> }
      : T

/** Does not compile unless every answer of our schema is an answer of the client. */
type Answers<Ours extends TSchema, Theirs> = Static<Ours> extends Plain<Theirs> ? true : never

// @ts-expect-error: the check does tell answers apart
export const DIFFERENT: Answers<typeof ours.CastReply, sdk.UserResponse> = true

export const FITTING: [
  Answers<typeof ours.UsersReply, sdk.BulkUsersResponse>,
  Answers<typeof ours.UserReply, sdk.UserResponse>,
  Answers<typeof ours.UserSearchReply, sdk.UserSearchResponse>,
  Answers<typeof ours.UsersByAddressReply, sdk.BulkUsersByAddressResponse>,
  Answers<typeof ours.VerificationsReply, sdk.FetchVerifications200Response>,
  Answers<typeof ours.FnameReply, sdk.FnameAvailabilityResponse>,
  Answers<typeof ours.StorageUsageReply, sdk.StorageUsageResponse>,
  Answers<typeof ours.StorageAllocationsReply, sdk.StorageAllocationsResponse>,
  Answers<typeof ours.CastReply, sdk.CastResponse>,
  Answers<typeof ours.CastsResultReply, sdk.CastsResponse>,
  Answers<typeof ours.CastsPageReply, sdk.FeedResponse>,
  Answers<typeof ours.CastSearchReply, sdk.CastsSearchResponse>,
  Answers<typeof ours.ConversationReply, sdk.Conversation>,
  Answers<typeof ours.CastReactionsReply, sdk.ReactionsCastResponse>,
  Answers<typeof ours.UserReactionsReply, sdk.ReactionsResponse>,
  Answers<typeof ours.FollowersReply, sdk.FollowersResponse>,
  Answers<typeof ours.RelevantFollowersReply, sdk.RelevantFollowersResponse>,
  Answers<typeof ours.ReciprocalFollowersReply, sdk.FetchUserReciprocalFollowers200Response>,
  Answers<typeof ours.BlocksReply, sdk.BlockListResponse>,
  Answers<typeof ours.MutesReply, sdk.MuteListResponse>,
  Answers<typeof ours.BansReply, sdk.BanListResponse>,
  Answers<typeof ours.ChannelReply, sdk.ChannelResponse>,
  Answers<typeof ours.ChannelsReply, sdk.ChannelResponseBulk>,
  Answers<typeof ours.ChannelMembersReply, sdk.ChannelMemberListResponse>,
  Answers<typeof ours.ChannelInvitesReply, sdk.ChannelMemberInviteListResponse>,
  Answers<typeof ours.ChannelActivityReply, sdk.TrendingChannelResponse>,
  Answers<typeof ours.NotificationsReply, sdk.NotificationsResponse>,
  Answers<typeof ours.InteractionsReply, sdk.FetchUserInteractions200Response>,
  Answers<typeof ours.BestFriendsReply, sdk.BestFriendsResponse>,
  Answers<typeof ours.CastMetricsReply, sdk.CastsMetricsResponse>,
] = Array.from({ length: 30 }, () => true) as typeof FITTING
