import Type from 'typebox'
import { fidParam, hexParam } from '../http/params.ts'
import { json, type Route, route } from '../http/route.ts'
import { HASH_BYTES } from '../protocol/hash.ts'
import type { AccountModeration } from '../storage/moderation.ts'
import type { Decision, Moderation } from './moderation.ts'

const TAGS = [{ name: 'Moderation', description: 'What the operator hides, erases and decides.' }]

const MAX_REASON_CHARACTERS = 2_000
const MAX_ACTOR_CHARACTERS = 100

const DecisionBody = json(
  Type.Object({
    reason: Type.String({
      minLength: 1,
      maxLength: MAX_REASON_CHARACTERS,
      description: 'Why. The log of moderation shows it.',
    }),
    actor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_ACTOR_CHARACTERS,
        description: 'Who decided; `operator` unless given.',
      }),
    ),
  }),
)

const Account = Type.Object(
  {
    fid: Type.Integer(),
    suspended: Type.Boolean(),
    erasing: Type.Boolean({ description: 'Its messages are being erased.' }),
    erasedBefore: Type.Integer({
      description: 'Messages up to this timestamp (seconds since 2021-01-01) were erased; 0: none.',
    }),
  },
  { $id: 'ModeratedAccount' },
)

const accountJson = ({ fid, suspended, erasing, erased_before }: AccountModeration) => ({
  fid,
  suspended: suspended === 1,
  erasing: erasing === 1,
  erasedBefore: erased_before,
})

const decisionOf = ({
  reason,
  actor = 'operator',
}: {
  reason: string
  actor?: string
}): Decision => ({
  reason,
  actor,
})

const Done = Type.Object({ success: Type.Literal(true) })
const DONE = { success: true } as const

const ACCOUNT_ACTIONS = {
  suspend: {
    summary: 'Suspend an account',
    description:
      'Everything of the account is hidden on all interfaces at once, and its new messages are refused. ' +
      'Its messages stay stored. Suspending it once more changes nothing.',
  },
  restore: {
    summary: 'End the suspension of an account',
    description: 'Everything is shown as before. Followers of the events get each message again.',
  },
  erase: {
    summary: 'Erase all messages of an account for good',
    description:
      'They are hidden at once and deleted in the background, from lists and from events. This cannot ' +
      'be undone. The account may send new messages afterwards, unless it is suspended.',
  },
} as const

const CAST_ACTIONS = {
  hide: {
    summary: 'Hide a cast',
    description: 'It is hidden on all interfaces at once. Reactions and replies to it stay.',
  },
  unhide: {
    summary: 'Show a hidden cast again',
    description: 'Does nothing for a cast that is not hidden.',
  },
} as const

/** The operator's routes of moderation. */
export const operatorModerationRoutes = (moderation: Moderation): Route[] => [
  route(
    {
      method: 'GET',
      path: '/moderation/accounts/:fid',
      summary: 'Whether an account is suspended or erased',
      description: 'For any fid, registered or not.',
      tags: TAGS,
      params: { fid: fidParam },
      reply: Account,
    },
    async ({ params }) => accountJson(await moderation.account(params.fid)),
  ),
  ...(['suspend', 'restore', 'erase'] as const).map((action) =>
    route(
      {
        method: 'POST',
        path: `/moderation/accounts/:fid/${action}`,
        ...ACCOUNT_ACTIONS[action],
        tags: TAGS,
        params: { fid: fidParam },
        body: DecisionBody,
        reply: Account,
        errors: ['bad_request.validation_failure', 'not_found'],
      },
      async ({ params, body }) =>
        accountJson(await moderation[action](params.fid, decisionOf(body))),
    ),
  ),
  ...(['hide', 'unhide'] as const).map((action) =>
    route(
      {
        method: 'POST',
        path: `/moderation/casts/:hash/${action}`,
        ...CAST_ACTIONS[action],
        tags: TAGS,
        params: { hash: hexParam({ bytes: HASH_BYTES, label: 'hash' }) },
        body: DecisionBody,
        reply: Done,
        errors: ['bad_request.validation_failure', 'not_found'],
      },
      async ({ params, body }) => {
        await moderation[`${action}Cast`](params.hash, decisionOf(body))
        return DONE
      },
    ),
  ),
]
