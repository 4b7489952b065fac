import Type from 'typebox'
import { appOf } from '../../kernel/app-api/app-route.ts'
import { SignerUuid } from '../../kernel/app-api/bodies.ts'
import { anyTextParam, described } from '../../kernel/http/input/params.ts'
import { json, route } from '../../kernel/http/route.ts'
import type { RejectionCode } from '../../kernel/protocol/rejection.ts'
import type { AppApi } from '../app-api/port.ts'
import { Answers, POLL_FIELDS, POLL_TAGS, Seconds } from './platform-routes.ts'
import { createPoll, getShownPoll, isOpen, type PollContext, vote } from './polls.ts'
import { answersOf, type Poll, votesIn } from './tables/polls.ts'

// Polls in the app API: an app makes them and votes for its users.

type Needs = { readonly context: PollContext; readonly signers: AppApi['signers'] }

const time = (description: string) => Type.String({ format: 'date-time', description })
const AppPoll = Type.Object({
  poll: Type.Object(
    {
      object: Type.Literal('poll'),
      id: Type.String(),
      url: Type.String({ description: 'The snap: an embed of casts.' }),
      question: Type.String(),
      answers: Answers,
      votes: Type.Integer(),
      is_open: Type.Boolean(),
      fid: Type.Integer({ description: 'Who made it.' }),
      created_at: time('When it was made.'),
      ends_at: time('Until when one can vote.'),
    },
    { $id: 'AppPoll' },
  ),
})

const dateOf = (seconds: number) => new Date(seconds * 1_000).toISOString()

const replyOf = ({ urlOf, now }: PollContext, poll: Poll) => ({
  poll: {
    ...{ object: 'poll' as const, id: poll.id, url: urlOf(poll.id), question: poll.question },
    ...{ answers: [...answersOf(poll)], votes: votesIn(poll), is_open: isOpen(poll, now()) },
    fid: poll.creator_fid,
    ...{ created_at: dateOf(poll.created_at), ends_at: dateOf(poll.ends_at) },
  },
})

const ERRORS: readonly RejectionCode[] = [
  'bad_request.validation_failure',
  'unauthorized',
  'unauthorized.suspended',
  'unreadable_secret',
  'not_found',
]

/** The user of a signer, if the operator lets the account act. */
async function userOf({ context, signers }: Needs, app: string, uuid: string): Promise<number> {
  const { fid } = await signers.writingKey(app, uuid)
  await context.checkMayAct(fid)
  return fid
}

export const appPollRoutes = [
  route('POST /v2/farcaster/poll', {
    callers: 'app',
    summary: 'Make a poll for a user',
    description: 'The answer has the address of a snap, to be embedded in a cast.',
    tags: POLL_TAGS,
    body: json(Type.Object({ signer_uuid: SignerUuid, ...POLL_FIELDS, duration_seconds: Seconds })),
    reply: AppPoll,
    errors: [...ERRORS, 'rate_limited', 'not_supported'],
    cost: 'write',
    handler: async (needs: Needs, { body, request }) => {
      const fid = await userOf(needs, appOf(request), body.signer_uuid)
      const { question, answers, duration_seconds: seconds } = body
      const poll = await createPoll(needs.context, fid, { question, answers, seconds })
      return replyOf(needs.context, poll)
    },
  }),
  route('GET /v2/farcaster/poll', {
    callers: 'app',
    summary: 'One poll with its result so far',
    description: 'Who chose what is not told.',
    tags: POLL_TAGS,
    query: { id: described(anyTextParam, 'The id of the poll.') },
    reply: AppPoll,
    errors: ['not_found'],
    cost: 'lookup',
    handler: async ({ context }: Needs, { query: { id } }) =>
      replyOf(context, await getShownPoll(context.storage, id)),
  }),
  route('POST /v2/farcaster/poll/vote', {
    callers: 'app',
    summary: 'Vote in a poll for a user',
    description: 'A second vote of the user takes the place of the first, until the end.',
    tags: POLL_TAGS,
    body: json(
      Type.Object({
        signer_uuid: SignerUuid,
        id: Type.String({ minLength: 1, maxLength: 64 }),
        answer: Type.String({
          maxLength: 64,
          description: 'One of the answers, as it is written.',
        }),
      }),
    ),
    reply: AppPoll,
    errors: [...ERRORS, 'bad_request.conflict', 'not_supported'],
    cost: 'write',
    handler: async (needs: Needs, { body, request }) => {
      const fid = await userOf(needs, appOf(request), body.signer_uuid)
      return replyOf(needs.context, await vote(needs.context, fid, body))
    },
  }),
]
