// JSON Schemas of the answers that the published client of apps declares, for the tests of the app API.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createGenerator } from 'ts-json-schema-generator'

const root = fileURLToPath(new URL('..', import.meta.url))
const CLIENT = 'node_modules/@neynar/nodejs-sdk/build/clients/NeynarAPIClient.d.ts'
const MODELS = 'node_modules/@neynar/nodejs-sdk/build/api/models/index.d.ts'

/** The methods of the client that the app API serves. */
export const SDK_METHODS = [
  ...['fetchBulkUsers', 'fetchBulkUsersByEthOrSolAddress', 'lookupUserByUsername'],
  ...['fetchUserInteractions', 'getUserBestFriends', 'fetchCastMetrics'],
  ...['fetchUsersByLocation', 'lookupUsersByXUsername'],
  ...['lookupUserByCustodyAddress', 'searchUser', 'fetchVerifications', 'isFnameAvailable'],
  ...['lookupUserStorageUsage', 'lookupUserStorageAllocations'],
  ...['lookupCastByHashOrUrl', 'fetchBulkCasts', 'lookupCastConversation', 'searchCasts'],
  ...['fetchCastQuotes', 'fetchUserFollowingFeed', 'fetchFeed', 'fetchCastsForUser'],
  ...['fetchRepliesAndRecastsForUser', 'fetchPopularCastsByUser', 'fetchFeedByChannelIds'],
  ...['fetchFeedByParentUrls', 'fetchTrendingFeed', 'fetchFeedForYou'],
  ...['fetchCastReactions', 'fetchUserReactions', 'fetchUserFollowers', 'fetchUserFollowing'],
  ...['fetchUserReciprocalFollowers', 'fetchRelevantFollowers', 'fetchFollowSuggestions'],
  ...['fetchBlockList', 'fetchMuteList', 'fetchBanList', 'lookupChannel', 'fetchBulkChannels'],
  ...['fetchAllChannels', 'searchChannels', 'fetchFollowersForAChannel'],
  ...['fetchRelevantFollowersForAChannel', 'fetchChannelMembers', 'fetchChannelInvites'],
  ...['fetchTrendingChannels', 'fetchUsersActiveChannels', 'fetchUserChannels'],
  ...['fetchUserChannelMemberships', 'fetchAllNotifications'],
  ...['fetchChannelNotificationsForUser', 'fetchNotificationsByParentUrlForUser'],
  ...['publishCast', 'deleteCast', 'publishReaction', 'deleteReaction', 'followUser'],
  ...['unfollowUser', 'updateUser', 'publishVerification', 'deleteVerification', 'followChannel'],
  ...['unfollowChannel', 'inviteChannelMember', 'removeChannelMember', 'respondChannelInvite'],
  ...['publishBlock', 'deleteBlock', 'publishMute', 'deleteMute', 'publishBans', 'deleteBans'],
  ...['markNotificationsAsSeen', 'publishMessageToFarcaster', 'createSigner', 'lookupSigner'],
  ...['registerSignedKey', 'registerSignedKeyForDeveloperManagedSigner'],
  ...['lookupDeveloperManagedSigner', 'publishWebhook', 'lookupWebhook', 'updateWebhook'],
  ...['updateWebhookActiveStatus', 'deleteWebhook', 'fetchWebhooks'],
  ...['fetchFrameCatalog', 'searchFrames', 'fetchRelevantFrames', 'publishFrameNotifications'],
  ...['getNotificationCampaignStats', 'fetchNotificationTokens'],
  ...['appHostGetEvent', 'appHostPostEvent', 'appHostGetUserState'],
] as const
export type SdkMethod = (typeof SDK_METHODS)[number]

// biome-ignore lint/suspicious/noExplicitAny: a schema is read by path
type Json = any

/** The client declares an embed as an intersection of its kinds instead of a union. */
const UNIONS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Embed: [['url'], ['cast_id', 'cast']],
  EmbedDeep: [['url'], ['cast_id', 'cast']],
}

export type SdkSchemas = {
  /** The name of the answer of each method. */
  readonly methods: Readonly<Record<string, string>>
  readonly definitions: Readonly<Record<string, Json>>
}

/** The answers of the methods that are served. No object may have properties that are not declared. */
export function sdkSchemas(): SdkSchemas {
  const generator = createGenerator({
    path: join(root, MODELS),
    skipTypeCheck: true,
    additionalProperties: false,
    expose: 'all',
  })
  const document: Json = generator.createSchema('*')
  for (const [name, kinds] of Object.entries(UNIONS)) {
    const { properties } = document.definitions[name]
    document.definitions[name] = {
      anyOf: kinds.map((keys) => ({
        type: 'object',
        properties: Object.fromEntries(keys.map((key) => [key, properties[key]])),
        required: keys,
        additionalProperties: false,
      })),
    }
  }
  // Replies below replies are declared as objects of any kind.
  document.definitions.CastAndConversationsRef.properties.direct_replies.items = { type: 'object' }
  // The declared type of an answer of any kind.
  document.definitions.object = { type: 'object' }
  const client = readFileSync(join(root, CLIENT), 'utf8')
  const methods = Object.fromEntries(
    SDK_METHODS.map((method) => [method, answerOf(client, method)] as const),
  )
  return { methods, definitions: reachable(document.definitions, Object.values(methods)) }
}

/** The type that a method of the client promises. */
function answerOf(client: string, method: string): string {
  const declared = new RegExp(`^ {4}${method}\\([^]*?\\): Promise<(\\w+)>;$`, 'm').exec(client)
  const name = declared?.[1]
  if (name === undefined) throw new Error(`the client has no method ${method}`)
  return name
}

/** The definitions with those that they refer to. */
function reachable(definitions: Json, names: readonly string[]): Record<string, Json> {
  const found: Record<string, Json> = {}
  const visit = (name: string) => {
    if (name in found) return
    if (!definitions[name]) throw new Error(`the client does not declare ${name}`)
    found[name] = definitions[name]
    const refs = JSON.stringify(definitions[name]).matchAll(/"#\/definitions\/([^"]+)"/g)
    for (const [, other] of refs) visit(decodeURIComponent(other!))
  }
  for (const name of [...new Set(names)].sort()) visit(name)
  return found
}
