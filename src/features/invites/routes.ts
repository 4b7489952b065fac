import Type from 'typebox'
import type { Clock } from '../../kernel/base/clock.ts'
import { described, patternParam } from '../../kernel/http/input/params.ts'
import { bind, json, type RequestInfo, type Route, route } from '../../kernel/http/route.ts'

import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import type { Live } from '../../kernel/storage/live-settings.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import {
  createInvite,
  findInvite,
  INVITE_REPLY,
  inviteIdParam,
  inviteJson,
  inviteLink,
  revokeInvite,
} from './invites.ts'
import { inviteRows } from './tables/invites.ts'

// Invites that members make, where the operator allows it, and what a link to join says about its invite.

export type MemberInvites = {
  readonly storage: Storage
  readonly clock: Clock
  readonly publicUrl: string | undefined
  /** Invites that a member may make in 30 days; 0: none. */
  readonly perMonth: Live<number>
  /** The user of the bearer token; throws a Rejection for anybody else and for suspended accounts. */
  readonly actorOf: (request: RequestInfo) => Promise<{ readonly fid: number }>
}

const TAGS = [{ name: 'Invites', description: 'Codes with which users may register.' }]
const QUOTA = 'invites of members'
const MONTH_MS = 30 * DAY_MS
/** Of one registration, for a fortnight: a link that leaks is worth little. */
const DAYS = 14
const MAX_SHOWN = 100
const CODE = /^[1-9A-HJ-NP-Za-km-z]{1,64}$/

const own = route('GET /v1/invites', {
  callers: 'user',
  summary: 'The invites that the user has made',
  description: `The user is that of the bearer token. \`perMonth\` is how many a member may make in 30 days. The newest ${MAX_SHOWN}, without their codes.`,
  tags: TAGS,
  reply: Type.Object({
    perMonth: Type.Integer(),
    invites: Type.Array(Type.Object(INVITE_REPLY)),
  }),
  errors: ['unauthorized.suspended'],
  cost: 'lookup',
  handler: async ({ storage, perMonth, actorOf }: MemberInvites, { request }) => {
    const { fid } = await actorOf(request)
    const invites = await storage.of(inviteRows).by(fid, MAX_SHOWN)
    return { perMonth: await perMonth(), invites: invites.map(inviteJson) }
  },
})

const create = route('POST /v1/invites', {
  callers: 'user',
  summary: 'Make an invite for one person',
  description: `Where the operator allows it (ROOKERY_MEMBER_INVITES). Good for one registration within ${DAYS} days. The answer has the only copy of the code, and the link to hand on.`,
  tags: TAGS,
  body: json(
    Type.Object({
      named: Type.Optional(
        Type.Boolean({
          description: 'Whether who follows the link reads who made it. By default they do.',
        }),
      ),
    }),
  ),
  reply: Type.Object({
    ...INVITE_REPLY,
    code: Type.String(),
    link: Type.Optional(Type.String()),
  }),
  errors: [
    'unauthorized',
    'unauthorized.suspended',
    'rate_limited',
    'unavailable.overloaded',
    'bad_request.validation_failure',
  ],
  cost: 'write',
  handler: async (
    { storage, clock, publicUrl, perMonth, actorOf }: MemberInvites,
    { request, body: { named = true } },
  ) => {
    const { fid } = await actorOf(request)
    const max = await perMonth()
    if (max === 0) {
      throw new Rejection('unauthorized', 'members of this server make no invites')
    }
    const terms = { uses: 1, days: DAYS, label: `by fid ${fid}`, inviter: fid, isNamed: named }
    const { code, invite } = await createInvite(storage, clock.now(), terms, async (tx) => {
      const quota = new Quota(QUOTA, await tx.quotas.used(QUOTA, [String(fid)]))
      const window = { windowMs: MONTH_MS, max }
      const exceeded = quota.tryConsume(String(fid), window, clock.now())
      if (exceeded) throw refusalOf(exceeded, `You have made ${max} invites in 30 days`)
      await tx.quotas.put(quota.changed)
    })
    return { ...inviteJson(invite), code, ...inviteLink(publicUrl, code) }
  },
})

const revoke = route('DELETE /v1/own-invites/:id', {
  callers: 'user',
  summary: 'Revoke an invite that the user has made',
  description: 'Its link can no longer be used. It still counts as made.',
  tags: TAGS,
  params: { id: inviteIdParam },
  reply: Type.Object({ revoked: Type.String() }),
  errors: ['unauthorized.suspended', 'not_found'],
  cost: 'write',
  handler: async ({ storage, actorOf }: MemberInvites, { request, params: { id } }) => {
    const { fid } = await actorOf(request)
    await revokeInvite(storage, id, fid)
    return { revoked: id }
  },
})

const byCode = route('GET /v1/invites/:code', {
  callers: 'anyone',
  summary: 'Whether an invite is in force, who made it, and what its holder becomes',
  description: 'For who holds its code. Using it up, expiry and unknown codes have one answer.',
  tags: TAGS,
  params: { code: described(patternParam(CODE), 'The code of an invite.') },
  reply: Type.Object({
    inviter: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'The fid of the member who made it; null: the operator, or a member who does not say so.',
    }),
    role: INVITE_REPLY.role,
    expiresAt: INVITE_REPLY.expiresAt,
  }),
  errors: ['signup.invalid_invite'],
  cost: 'lookup',
  handler: async ({ storage, clock }: MemberInvites, { params }) => {
    const found = await findInvite(storage, params.code, clock.now())
    const { inviter, is_named, role, expires_at } = found
    return { inviter: is_named ? inviter : null, role, expiresAt: expires_at }
  },
})

export const memberInviteRoutes = (context: MemberInvites): Route[] =>
  bind(context, [own, create, revoke, byCode])
