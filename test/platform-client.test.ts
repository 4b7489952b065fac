// A published client of the deployed platform, unmodified, on every path that it shares with this server.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  acceptChannelInvite,
  banUserFromChannel,
  blockUser,
  checkUserChannelFollowStatus,
  client,
  followChannel,
  getAllChannels,
  getBlockedUsers,
  getChannelBannedUsers,
  getChannelDetails,
  getChannelFollowers,
  getChannelInvites,
  getChannelMembers,
  getChannelModeratedCasts,
  getChannelRestrictedUsers,
  getDiscoverableActions,
  getDiscoverableComposerActions,
  getUserFollowedChannels,
  inviteUserToChannel,
  moderateCast,
  pinCastToChannel,
  removeChannelInvite,
  unbanUserFromChannel,
  unblockUser,
  unfollowChannel,
  unpinCastFromChannel,
} from '@nekofar/warpcast'
import { type ChannelClient, channelClient } from './channels-support.ts'
import { createWorld, type TestAccount, type World } from './world.ts'

let world: World
let platform: ChannelClient
let [owner, user] = [] as TestAccount[] as [TestAccount, TestAccount]
before(async () => {
  world = await createWorld()
  platform = channelClient(world)
  ;[owner, user] = (await world.accounts([1, 2])) as [TestAccount, TestAccount]
  client.setConfig({ baseUrl: world.app.urls.platform })
  await platform.create(owner, 'birds', { name: 'Birds', description: 'All of them' })
})
after(() => world.close())

const as = (account: TestAccount) => ({ auth: world.token(account) })

// biome-ignore lint/suspicious/noExplicitAny: the client types each answer after the deployed server
type Call = Promise<{ data?: any; error?: any }>
async function result(call: Call) {
  const { data, error } = await call
  assert.equal(error, undefined, JSON.stringify(error))
  return data.result
}
const succeeded = async (call: Call) => assert.deepEqual(await result(call), { success: true })

test('the published client follows and reads channels', async () => {
  const body = { channelId: 'birds' }
  const query = { channelId: 'birds' }
  await succeeded(followChannel({ ...as(user), body }))
  const { channel } = await result(getChannelDetails({ query }))
  assert.equal(channel.name, 'Birds')
  assert.equal(channel.followerCount, 1)
  assert.deepEqual((await result(getAllChannels())).channels, [channel])
  const { users } = await result(getChannelFollowers({ query }))
  assert.deepEqual(
    users.map(({ fid }: { fid: number }) => fid),
    [2],
  )
  const [followed] = (await result(getUserFollowedChannels({ query: { fid: 2 } }))).channels
  assert.deepEqual(followed, { ...channel, followedAt: users[0].followedAt })
  const status = checkUserChannelFollowStatus({ query: { fid: 2, channelId: 'birds' } })
  assert.deepEqual(await result(status), { following: true, followedAt: users[0].followedAt })
  await succeeded(unfollowChannel({ ...as(user), body }))
  const { following } = await result(
    checkUserChannelFollowStatus({ query: { fid: 2, channelId: 'birds' } }),
  )
  assert.equal(following, false)
  const { error } = (await getChannelDetails({ query: { channelId: 'nope' } })) as {
    error?: unknown
  }
  assert.match(JSON.stringify(error), /Channel nope does not exist/)
})

test('the published client invites, removes and bans members', async () => {
  const query = { channelId: 'birds' }
  await succeeded(followChannel({ ...as(user), body: query }))
  const body = { ...query, inviteFid: 2, role: 'member' as const }
  await succeeded(inviteUserToChannel({ ...as(owner), body }))
  assert.equal((await result(getChannelInvites({ query }))).invites[0].invitedFid, 2)
  const answer = { ...query, role: 'member' as const, accept: true }
  await succeeded(acceptChannelInvite({ ...as(user), body: answer }))
  assert.equal((await result(getChannelMembers({ query }))).members.length, 2)
  const removed = { ...query, removeFid: 2, role: 'member' as const }
  await succeeded(removeChannelInvite({ ...as(owner), body: removed }))
  assert.equal((await result(getChannelRestrictedUsers({ query }))).restrictedUsers[0].fid, 2)
  const banned = { ...query, banFid: 2 }
  await succeeded(banUserFromChannel({ ...as(owner), body: banned }))
  assert.equal((await result(getChannelBannedUsers({ query }))).bannedUsers[0].fid, 2)
  await succeeded(unbanUserFromChannel({ ...as(owner), body: banned }))
  assert.deepEqual(await result(getChannelBannedUsers({ query })), { bannedUsers: [] })
})

test('the published client hides and pins casts', async () => {
  const { channel } = await platform.result('/v1/channel?channelId=birds')
  const castHash = platform.hashOf(await platform.cast(user, 'Look, a rook', channel.url))
  await succeeded(moderateCast({ ...as(owner), body: { castHash, action: 'hide' } }))
  const query = { channelId: 'birds' }
  const { moderationActions } = await result(getChannelModeratedCasts({ query }))
  assert.equal(moderationActions[0].castHash, castHash)
  const body = { castHash, notifyChannelFollowers: true }
  await succeeded(pinCastToChannel({ ...as(owner), body }))
  assert.equal((await result(getChannelDetails({ query }))).channel.pinnedCastHash, castHash)
  await succeeded(unpinCastFromChannel({ ...as(owner), body: query }))
})

test('the published client blocks and unblocks users', async () => {
  await succeeded(blockUser({ ...as(owner), body: { blockFid: 2 } }))
  const { blockedUsers } = await result(getBlockedUsers())
  assert.deepEqual([blockedUsers[0].blockerFid, blockedUsers[0].blockedFid], [1, 2])
  await succeeded(unblockUser({ ...as(owner), body: { unblockFid: 2 } }))
  assert.deepEqual(await result(getBlockedUsers()), { blockedUsers: [] })
})

test('the published client lists actions and composer actions', async () => {
  const query = { list: 'top', limit: 5 }
  assert.deepEqual(await result(getDiscoverableActions({ query })), { actions: [] })
  assert.deepEqual(await result(getDiscoverableComposerActions({ query })), { actions: [] })
})
