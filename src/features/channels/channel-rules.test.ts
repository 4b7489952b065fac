import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Change,
  type Decision,
  decideAnswer,
  decideAppointment,
  decideBan,
  decideInvite,
  decideRemoval,
  decideUnban,
  type Pair,
  type Role,
  roleOf,
} from './channel-rules.ts'
import type { InviteRole } from './tables/channels.ts'
import { MAX_MODERATORS } from './tables/channels.ts'

const ROLES: readonly Role[] = ['owner', 'moderator', 'member', 'none', 'restricted', 'banned']
const FREE = { acquainted: true, seatsTaken: 0 }

/** The role of another account, or of the actor with `self`; by default no role. */
type Case = { by: Role; role?: Role; invited?: InviteRole; self?: true }
const pair = ({ by, role = 'none', invited, self }: Case): Pair => ({
  channelId: 'birds',
  actorFid: 1,
  actor: by,
  fid: self ? 1 : 2,
  role: self ? by : role,
  invited,
})

/** A change as it is, nothing as `nothing`, a refusal as its code. */
const told = (decision: Decision): Change | string =>
  decision.outcome === 'change'
    ? decision.change
    : decision.outcome === 'nothing'
      ? 'nothing'
      : decision.rejection.code

const NO = 'unauthorized'
const CONFLICT = 'bad_request.conflict'

/** What becomes of each role of the second, in the order of ROLES, when it is done by the first. */
function checkTable(
  decide: (pair: Pair) => Decision,
  rows: readonly (readonly [by: Role, ...results: (Change | string)[]])[],
): void {
  for (const [by, ...results] of rows) {
    for (const [i, role] of ROLES.entries()) {
      assert.deepEqual(told(decide(pair({ by, role }))), results[i], `${by} does it to ${role}`)
    }
  }
}

const never = (by: Role) => [by, NO, NO, NO, NO, NO, NO] as const

test('of several roles in a channel the highest counts', () => {
  const channel = { lead_fid: 1, moderator_fid: 2, moderator_fids: '3,14' }
  assert.equal(roleOf(channel, 1, 'member'), 'owner')
  assert.equal(roleOf(channel, 2, undefined), 'moderator')
  assert.equal(roleOf(channel, 3, 'member'), 'moderator')
  assert.equal(roleOf(channel, 14, 'member'), 'moderator')
  assert.equal(roleOf(channel, 4, undefined), 'none')
  for (const status of ['member', 'restricted', 'banned'] as const) {
    assert.equal(roleOf(channel, 4, status), status)
  }
  assert.equal(
    roleOf({ lead_fid: null, moderator_fid: null, moderator_fids: '' }, 0, undefined),
    'none',
  )
})

test('owner and moderators may invite members', () => {
  const asked = { invite: 'member' } as const
  const rows = (by: Role) =>
    [by, 'nothing', 'nothing', 'nothing', asked, { ...asked, status: 'none' }, CONFLICT] as const
  checkTable(
    (one) => decideInvite(one, 'member', FREE),
    [
      rows('owner'),
      rows('moderator'),
      ...(['member', 'none', 'restricted', 'banned'] as const).map(never),
    ],
  )
})

test('only followers of the channel or the caller can be invited, and only once', () => {
  const stranger = { ...FREE, acquainted: false }
  assert.equal(told(decideInvite(pair({ by: 'owner' }), 'member', stranger)), CONFLICT)
  const invited = pair({ by: 'owner', invited: 'member' })
  assert.equal(told(decideInvite(invited, 'member', stranger)), 'nothing')
})

test('the owner appoints at most ten moderators, who must be members', () => {
  const row = [
    'owner',
    'nothing',
    'nothing',
    { invite: 'moderator' },
    CONFLICT,
    CONFLICT,
    CONFLICT,
  ] as const
  checkTable(
    (one) => decideInvite(one, 'moderator', FREE),
    [row, ...(['moderator', 'member', 'none', 'restricted', 'banned'] as const).map(never)],
  )
  const member = pair({ by: 'owner', role: 'member' })
  for (const [seatsTaken, expected] of [
    [MAX_MODERATORS - 1, { invite: 'moderator' }],
    [MAX_MODERATORS, CONFLICT],
    [MAX_MODERATORS + 1, CONFLICT],
  ] as const) {
    assert.deepEqual(told(decideInvite(member, 'moderator', { ...FREE, seatsTaken })), expected)
  }
  const invited = { ...member, invited: 'moderator' as const }
  const full = { ...FREE, seatsTaken: MAX_MODERATORS }
  assert.equal(told(decideInvite(invited, 'moderator', full)), 'nothing')
})

const OUT: Change = { status: 'restricted', moderator: false, invite: 'none' }

test('owner and moderators remove members, and only the owner removes moderators', () => {
  checkTable(
    (one) => decideRemoval(one, 'member'),
    [
      ['owner', CONFLICT, OUT, OUT, 'nothing', 'nothing', 'nothing'],
      ['moderator', CONFLICT, NO, OUT, 'nothing', 'nothing', 'nothing'],
      ...(['member', 'none', 'restricted', 'banned'] as const).map(never),
    ],
  )
  checkTable(
    (one) => decideRemoval(one, 'moderator'),
    [
      ['owner', CONFLICT, { moderator: false }, 'nothing', 'nothing', 'nothing', 'nothing'],
      ...(['moderator', 'member', 'none', 'restricted', 'banned'] as const).map(never),
    ],
  )
})

test('an invite can be withdrawn by those who could have made it', () => {
  const none = { invite: 'none' }
  const remove = (by: Role, role: Role, invited: InviteRole, asked: InviteRole) =>
    told(decideRemoval(pair({ by, role, invited }), asked))
  assert.deepEqual(remove('owner', 'none', 'member', 'member'), none)
  assert.deepEqual(remove('moderator', 'none', 'member', 'member'), none)
  assert.deepEqual(remove('owner', 'member', 'moderator', 'moderator'), none)
  assert.equal(remove('moderator', 'member', 'moderator', 'moderator'), NO)
  assert.equal(remove('owner', 'none', 'member', 'moderator'), 'nothing')
  assert.deepEqual(remove('moderator', 'member', 'moderator', 'member'), OUT)
})

test('a member who leaves is not restricted, and the owner cannot leave', () => {
  const leave = (by: Role, asked: InviteRole, invited?: InviteRole) =>
    told(decideRemoval(pair({ by, self: true, ...(invited && { invited }) }), asked))
  assert.equal(leave('owner', 'member'), CONFLICT)
  for (const role of ['moderator', 'member'] as const) {
    assert.deepEqual(leave(role, 'member'), { ...OUT, status: 'none' })
  }
  assert.deepEqual(leave('moderator', 'moderator'), { moderator: false })
  assert.deepEqual(leave('none', 'member', 'member'), { invite: 'none' })
  for (const role of ['none', 'restricted', 'banned'] as const) {
    assert.equal(leave(role, 'member'), 'nothing')
    assert.equal(leave(role, 'moderator'), 'nothing')
  }
})

test('an invite is answered by the invited, and repeating the answer changes nothing', () => {
  const answer = (by: Role, asked: InviteRole, accept: boolean, invited?: InviteRole) =>
    told(decideAnswer(pair({ by, self: true, ...(invited && { invited }) }), asked, accept))
  const joined = { invite: 'none', status: 'member' }
  assert.deepEqual(answer('none', 'member', true, 'member'), joined)
  assert.deepEqual(answer('none', 'member', false, 'member'), { invite: 'none' })
  const risen = { invite: 'none', moderator: true }
  assert.deepEqual(answer('member', 'moderator', true, 'moderator'), risen)
  assert.deepEqual(answer('member', 'moderator', false, 'moderator'), { invite: 'none' })
  assert.equal(answer('none', 'moderator', true, 'member'), 'not_found')
  for (const [asked, has] of [
    ['member', ['owner', 'moderator', 'member']],
    ['moderator', ['owner', 'moderator']],
  ] as const) {
    for (const role of ROLES) {
      const expected = (has as readonly Role[]).includes(role) ? 'nothing' : 'not_found'
      assert.equal(answer(role, asked, true), expected, `${role} accepts to be ${asked}`)
      assert.equal(answer(role, asked, false), 'nothing')
    }
  }
})

test('owner and moderators may ban users with a lower role', () => {
  const banned: Change = { status: 'banned', moderator: false, invite: 'none' }
  checkTable(decideBan, [
    ['owner', NO, banned, banned, banned, banned, 'nothing'],
    ['moderator', NO, NO, banned, banned, banned, 'nothing'],
    ...(['member', 'none', 'restricted', 'banned'] as const).map(never),
  ])
  for (const by of ['owner', 'moderator'] as const) {
    assert.equal(told(decideBan(pair({ by, self: true }))), CONFLICT)
  }
})

test('a user whose ban is lifted stays restricted', () => {
  const row = (by: Role) =>
    [
      by,
      ...(['nothing', 'nothing', 'nothing', 'nothing', 'nothing'] as const),
      { status: 'restricted' },
    ] as const
  checkTable(decideUnban, [
    row('owner'),
    row('moderator'),
    ...(['member', 'none', 'restricted', 'banned'] as const).map(never),
  ])
})

test('a direct appointee becomes a member, unless banned', () => {
  const given: Change = { status: 'member', invite: 'none' }
  checkTable(decideAppointment, [['owner', given, given, given, given, given, CONFLICT]])
})
