import Type from 'typebox'
import type { Clock } from '../../kernel/base/clock.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import type { StaffPlaces } from '../moderation/port.ts'
import {
  createInvite,
  INVITE_REPLY,
  inviteIdParam,
  inviteJson,
  inviteLink,
  MAX_INVITE_DAYS,
  MAX_INVITE_USES,
  MAX_INVITES,
  MAX_LABEL_CHARACTERS,
  revokeInvite,
} from './invites.ts'
import { INVITE_ROLES, inviteRows } from './tables/invites.ts'

const TAGS = [{ name: 'Invites', description: 'Codes with which users may register.' }]
const InviteReply = Type.Object(INVITE_REPLY, { $id: 'Invite' })

type InviteContext = {
  readonly storage: Storage
  readonly clock: Clock
  readonly publicUrl: string | undefined
  /** Undefined without moderation. */
  readonly staffPlaces: (...reader: Parameters<StaffPlaces>) => Promise<number | undefined>
}

/** For the operations interface: who may register where ROOKERY_SIGNUP is invite. */
export const inviteRoutes = (context: InviteContext): Route[] =>
  bind(context, [create, list, revoke])

const create = route('POST /accounts/invites', {
  callers: 'operator',
  summary: 'Create an invite',
  description: 'The code is shown once: only its hash is stored. Each registration uses it once.',
  tags: TAGS,
  body: json(
    Type.Object(
      {
        uses: Type.Integer({ minimum: 1, maximum: MAX_INVITE_USES }),
        days: Type.Integer({ minimum: 1, maximum: MAX_INVITE_DAYS }),
        label: Type.Optional(
          Type.String({
            maxLength: MAX_LABEL_CHARACTERS,
            pattern: '^[^\\u0000-\\u001f\\u007f]*$',
          }),
        ),
        role: Type.Optional(
          Type.Enum(INVITE_ROLES, {
            description:
              'What its holder becomes with the account: for one person, within 14 days.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  ),
  reply: Type.Object({
    ...INVITE_REPLY,
    code: Type.String(),
    link: Type.Optional(
      Type.String({ description: 'Where its holder joins, when ROOKERY_PUBLIC_URL is set.' }),
    ),
  }),
  errors: ['bad_request.validation_failure', 'bad_request.conflict', 'not_supported'],
  cost: 'write',
  handler: async (context: InviteContext, { body: { uses, days, label = '', role } }) => {
    const { storage, clock, publicUrl } = context
    const terms = { uses, days, label, role }
    const { code, invite } = await createInvite(storage, clock.now(), terms, (tx) =>
      role ? checkPlace(context, tx) : Promise.resolve(),
    )
    return { ...inviteJson(invite), code, ...inviteLink(publicUrl, code) }
  },
})

/** Who joins by an invite with a role gets it: there must be a place for everybody who holds one. */
async function checkPlace({ staffPlaces }: InviteContext, tx: Writer): Promise<void> {
  const [places, promised] = [await staffPlaces(tx), await tx.of(inviteRows).withRoleCount()]
  if (places === undefined) {
    const text = 'this server has no moderation, so nobody has a role; leave the role out'
    throw new Rejection('not_supported', text, { field: 'role' })
  }
  if (promised < places) return
  const text =
    promised === 0
      ? 'as many accounts have a role as may have one: take one away first'
      : 'invites with a role that nobody has used yet are for the last places: revoke one first'
  throw new Rejection('bad_request.conflict', text, { field: 'role' })
}

const list = route('GET /accounts/invites', {
  callers: 'operator',
  summary: 'The invites, the newest first',
  description: `All of the operator and the newest ${MAX_INVITES} of members, without their codes. Expired ones are deleted when another one is created.`,
  tags: TAGS,
  reply: Type.Object({ invites: Type.Array(InviteReply) }),
  errors: [],
  cost: 'lookup',
  handler: async ({ storage }: InviteContext) => {
    const [own, ofMembers] = await Promise.all([
      storage.of(inviteRows).list('operator', MAX_INVITES),
      storage.of(inviteRows).list('members', MAX_INVITES),
    ])
    const all = [...own, ...ofMembers].sort((a, b) => b.created_at - a.created_at)
    return { invites: all.map(inviteJson) }
  },
})

const revoke = route('DELETE /accounts/invites/:id', {
  callers: 'operator',
  summary: 'Revoke an invite',
  description: 'It can no longer be used to register. Accounts that were registered with it stay.',
  tags: TAGS,
  params: { id: inviteIdParam },
  reply: Type.Object({ revoked: Type.String() }),
  errors: ['not_found'],
  cost: 'write',
  handler: async ({ storage }: InviteContext, { params: { id } }) => {
    await revokeInvite(storage, id)
    return { revoked: id }
  },
})
