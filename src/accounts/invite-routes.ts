import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { Param } from '../http/input/params.ts'
import { json, type Route, route } from '../http/route.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Storage } from '../storage/storage.ts'
import {
  createInvite,
  inviteJson,
  MAX_INVITE_DAYS,
  MAX_INVITE_USES,
  MAX_INVITES,
  MAX_LABEL_CHARACTERS,
  revokeInvite,
} from './signup.ts'

const TAGS = [{ name: 'Invites', description: 'Codes with which users may register.' }]
const ID = '^0x[0-9a-f]{40}$'
const INVITE = {
  id: Type.String({
    pattern: ID,
    description: 'Names the invite. It is not the code that registers an account.',
  }),
  label: Type.String(),
  uses: Type.Integer(),
  usesLeft: Type.Integer(),
  createdAt: Type.Integer({ description: 'Unix ms.' }),
  expiresAt: Type.Integer({ description: 'Unix ms.' }),
}
const InviteReply = Type.Object(INVITE, { $id: 'Invite' })

const idParam: Param<string> = {
  schema: { type: 'string', pattern: ID },
  description: 'The id of the invite.',
  parse: (text, field) => {
    if (new RegExp(ID).test(text)) return text
    throw new Rejection('bad_request.invalid_param', `${field} must be 0x and 40 hex digits`, {
      field,
    })
  },
}

type InviteContext = { readonly storage: Storage; readonly clock: Clock }

/** For the operations interface: who may register where ROOKERY_SIGNUP is invite. */
export const inviteRoutes = (context: InviteContext): Route[] =>
  [create, list, revoke].map((of) => of(context))

const create = ({ storage, clock }: InviteContext) =>
  route(
    {
      method: 'POST',
      path: '/accounts/invites',
      summary: 'Create an invite',
      description:
        'The code is shown once: only its hash is stored. Each registration uses it once.',
      tags: TAGS,
      protected: true,
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
          },
          { additionalProperties: false },
        ),
      ),
      reply: Type.Object({ ...INVITE, code: Type.String() }),
      errors: ['bad_request.validation_failure'],
    },
    async ({ body: { uses, days, label = '' } }) => {
      const { code, invite } = await createInvite(storage, clock.now(), { uses, days, label })
      return { ...inviteJson(invite), code }
    },
  )

const list = ({ storage }: InviteContext) =>
  route(
    {
      method: 'GET',
      path: '/accounts/invites',
      summary: 'The invites, the newest first',
      description: 'Without their codes. Expired ones are deleted when another one is created.',
      tags: TAGS,
      protected: true,
      reply: Type.Object({ invites: Type.Array(InviteReply) }),
    },
    async () => ({ invites: (await storage.invites.list(MAX_INVITES)).map(inviteJson) }),
  )

const revoke = ({ storage }: InviteContext) =>
  route(
    {
      method: 'DELETE',
      path: '/accounts/invites/:id',
      summary: 'Revoke an invite',
      description:
        'It can no longer be used to register. Accounts that were registered with it stay.',
      tags: TAGS,
      protected: true,
      params: { id: idParam },
      reply: Type.Object({ revoked: Type.String() }),
      errors: ['not_found'],
    },
    async ({ params: { id } }) => {
      await revokeInvite(storage, id)
      return { revoked: id }
    },
  )
