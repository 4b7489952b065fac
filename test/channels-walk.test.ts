// Random calls to channels beside a model that is slow and obvious: every answer and every list agree.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChannelClient, channelClient } from './channels-support.ts'
import { effort } from './effort.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import { createWorld, enginesOf, type TestAccount, type World } from './world.ts'

const STEPS = { sqlite: effort(250, 700), postgres: effort(120, 300) }
const COMPARE_EVERY = 60
const FIDS = [1, 2, 3, 4, 5, 6]
const IDS = ['a', 'b']
const SEED = runSeed()

type Act =
  | { kind: 'follow' | 'unfollow'; by: number; id: string }
  | { kind: 'invite' | 'remove'; by: number; id: string; fid: number; role: Role }
  | { kind: 'answer'; by: number; id: string; role: Role; accept: boolean }
  | { kind: 'ban' | 'unban' | 'give'; by: number; id: string; fid: number }
type Role = 'member' | 'moderator'

/** Sets of people, and the rules in the words of the specification. */
class Channel {
  owner = 1
  followers = new Map<number, number>()
  members = new Map<number, number>()
  moderators = new Set<number>()
  restricted = new Set<number>()
  banned = new Set<number>()
  invites = new Map<number, Role>()

  constructor(now: number) {
    this.members.set(1, now)
  }

  moderates(fid: number) {
    return fid === this.owner || this.moderators.has(fid)
  }

  forget(fid: number) {
    this.members.delete(fid)
    this.moderators.delete(fid)
    this.invites.delete(fid)
  }

  /** The status of the answer. */
  do(act: Act, now: number): number {
    const { by } = act
    switch (act.kind) {
      case 'follow':
        if (!this.followers.has(by)) this.followers.set(by, now)
        return 200
      case 'unfollow':
        this.followers.delete(by)
        return 200
      case 'invite':
        return act.role === 'member' ? this.inviteMember(by, act.fid) : this.appoint(by, act.fid)
      case 'remove':
        return act.role === 'member' ? this.expel(by, act.fid) : this.demote(by, act.fid)
      case 'answer':
        return this.answer(act, now)
      case 'ban':
        return this.ban(by, act.fid)
      case 'unban':
        if (!this.moderates(by)) return 403
        if (this.banned.delete(act.fid)) this.restricted.add(act.fid)
        return 200
      case 'give':
        return this.give(by, act.fid, now)
    }
  }

  inviteMember(by: number, fid: number): number {
    if (!this.moderates(by)) return 403
    if (this.members.has(fid)) return 200
    if (this.banned.has(fid)) return 400
    if (this.invites.has(fid)) return 200
    if (!this.followers.has(fid)) return 400
    this.restricted.delete(fid)
    this.invites.set(fid, 'member')
    return 200
  }

  appoint(by: number, fid: number): number {
    if (by !== this.owner) return 403
    if (this.moderates(fid)) return 200
    if (!this.members.has(fid)) return 400
    this.invites.set(fid, 'moderator')
    return 200
  }

  expel(by: number, fid: number): number {
    const leaves = by === fid
    if (!leaves && !(this.moderators.has(fid) ? by === this.owner : this.moderates(by))) return 403
    if (fid === this.owner) return 400
    if (this.members.has(fid)) {
      this.forget(fid)
      if (!leaves) this.restricted.add(fid)
    }
    this.invites.delete(fid)
    return 200
  }

  demote(by: number, fid: number): number {
    if (by !== fid && by !== this.owner) return 403
    if (fid === this.owner) return 400
    this.moderators.delete(fid)
    if (this.invites.get(fid) === 'moderator') this.invites.delete(fid)
    return 200
  }

  answer({ by, role, accept }: Extract<Act, { kind: 'answer' }>, now: number): number {
    if (this.invites.get(by) === role) {
      this.invites.delete(by)
      if (!accept) return 200
      if (role === 'member') this.members.set(by, now)
      else this.moderators.add(by)
      return 200
    }
    if (!accept) return 200
    return (role === 'member' ? this.members.has(by) : this.moderates(by)) ? 200 : 404
  }

  ban(by: number, fid: number): number {
    if (!this.moderates(by)) return 403
    if (by === fid) return 400
    if (fid === this.owner || (this.moderators.has(fid) && by !== this.owner)) return 403
    this.forget(fid)
    this.restricted.delete(fid)
    this.banned.add(fid)
    return 200
  }

  give(by: number, fid: number, now: number): number {
    if (by !== this.owner) return 403
    if (by === fid) return 200
    if (this.banned.has(fid)) return 400
    this.owner = fid
    if (!this.members.has(fid)) this.members.set(fid, now)
    this.moderators.delete(fid)
    this.invites.delete(fid)
    this.restricted.delete(fid)
    return 200
  }
}

for (const engine of enginesOf(import.meta.url)) {
  test(`random calls leave channels in the state of the model, on ${engine} (seed ${SEED})`, async () => {
    const world = await createWorld({ engine })
    try {
      await walk(world, channelClient(world), STEPS[engine], randomFrom(SEED))
    } finally {
      await world.close()
    }
  })
}

async function walk(world: World, client: ChannelClient, steps: number, random: Random) {
  const people = new Map((await world.accounts(FIDS)).map((one) => [one.fid, one]))
  const now = () => Math.floor(world.clock.now() / 1000)
  const model = new Map<string, Channel>()
  for (const id of IDS) {
    await client.create(people.get(1)!, id)
    model.set(id, new Channel(now()))
  }
  const told = new Set<string>()
  for (let step = 0; step < steps; step++) {
    // Mostly within a second, now and then an hour, so that the limit of calls is never the answer.
    world.clock.advance(step % 40 === 0 ? 3_600_000 : random.int(700))
    const act = chooseAct(random, (id) => model.get(id)!.owner)
    const expected = model.get(act.id)!.do(act, now())
    const { status, body } = await perform(client, people.get(act.by)!, act)
    assert.equal(status, expected, `step ${step}: ${JSON.stringify(act)} ${JSON.stringify(body)}`)
    told.add(`${act.kind} ${status}`)
    if (step % COMPARE_EVERY === 0 || step === steps - 1) await compare(client, model, step, random)
  }
  // A walk that never comes to some rule would not test it.
  for (const kind of ['invite', 'remove', 'ban', 'give', 'answer']) {
    assert.ok(told.has(`${kind} 200`) && [...told].some((one) => one.startsWith(`${kind} 4`)), kind)
  }
}

const KINDS = [
  ...(['follow', 'follow', 'unfollow', 'invite', 'invite', 'invite', 'remove'] as const),
  ...(['answer', 'answer', 'answer', 'ban', 'unban', 'give'] as const),
]

/** One in three acts is the owner's, who may do most. */
function chooseAct(random: Random, ownerOf: (id: string) => number): Act {
  const kind = random.pick(KINDS)
  const [id, fid] = [random.pick(IDS), random.pick(FIDS)]
  const by = random.int(3) === 0 ? ownerOf(id) : random.pick(FIDS)
  const role = random.pick(['member', 'member', 'moderator'] as const)
  if (kind === 'follow' || kind === 'unfollow') return { kind, id, by }
  if (kind === 'answer') return { kind, id, by, role, accept: random.int(4) > 0 }
  if (kind === 'invite' || kind === 'remove') return { kind, id, by, fid, role }
  return { kind, id, by, fid }
}

function perform(client: ChannelClient, account: TestAccount, act: Act) {
  switch (act.kind) {
    case 'follow':
    case 'unfollow':
      return client[act.kind](account, act.id)
    case 'invite':
    case 'remove':
      return client[act.kind](account, act.id, act.fid, act.role)
    case 'answer':
      return client.answer(account, act.id, act.role, act.accept)
    case 'ban':
    case 'unban':
      return client[act.kind](account, act.id, act.fid)
    case 'give':
      return client.call(account, 'PATCH', '/fc/channels', { channelId: act.id, ownerFid: act.fid })
  }
}

async function compare(
  client: ChannelClient,
  model: ReadonlyMap<string, Channel>,
  step: number,
  random: Random,
) {
  const size = 1 + random.int(4)
  for (const [id, channel] of model) {
    const list = async (path: string, key: string) =>
      client.pages(`${path}?channelId=${id}`, key, size)
    const fids = async (path: string, key: string, name = 'fid') =>
      (await list(path, key)).map((row) => row[name]).sort()
    const newestFirst = (rows: ReadonlyMap<number, number>) =>
      [...rows].sort(([a, one], [b, other]) => other - one || a - b)
    const at = `step ${step}, channel ${id}`
    const shown = (await client.result(`/v1/channel?channelId=${id}`)).channel
    assert.equal(shown.leadFid, channel.owner, at)
    assert.equal(shown.followerCount, channel.followers.size, at)
    assert.equal(shown.memberCount, channel.members.size, at)
    assert.deepEqual((shown.moderatorFids ?? []).sort(), [...channel.moderators].sort(), at)
    const followers = await list('/v1/channel-followers', 'users')
    assert.deepEqual(
      followers.map(({ fid, followedAt }) => [fid, followedAt]),
      newestFirst(channel.followers),
      at,
    )
    const members = await list('/fc/channel-members', 'members')
    assert.deepEqual(
      members.map(({ fid, memberAt }) => [fid, memberAt]),
      newestFirst(channel.members),
      at,
    )
    const restricted = await fids('/fc/channel-restricted-users', 'restrictedUsers')
    assert.deepEqual(restricted, [...channel.restricted].sort(), at)
    assert.deepEqual(await fids('/fc/channel-bans', 'bannedUsers'), [...channel.banned].sort(), at)
    const invites = await list('/fc/channel-invites', 'invites')
    assert.deepEqual(
      invites.map(({ invitedFid, role }) => `${invitedFid} ${role}`).sort(),
      [...channel.invites].map(([fid, role]) => `${fid} ${role}`).sort(),
      at,
    )
  }
  const all = (await client.result('/v2/all-channels')).channels
  assert.deepEqual(
    all.map(({ id, followerCount }: { id: string; followerCount: number }) => [id, followerCount]),
    [...model].map(([id, { followers }]) => [id, followers.size]),
  )
}
