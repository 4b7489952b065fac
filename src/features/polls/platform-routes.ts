import Type from 'typebox'
import { anyTextParam, described } from '../../kernel/http/input/params.ts'
import { json, type RequestInfo, route } from '../../kernel/http/route.ts'
import { Result, SUCCESS, Success } from '../../kernel/platform/schemas.ts'
import {
  MAX_ANSWER_CHARACTERS,
  MAX_ANSWERS,
  MAX_POLL_SECONDS,
  MAX_POLLS_PER_DAY,
  MAX_QUESTION_CHARACTERS,
  MIN_ANSWERS,
  MIN_POLL_SECONDS,
  POLL_ID,
} from './limits.ts'
import { createPoll, deletePoll, getShownPoll, isOpen, type PollContext } from './polls.ts'
import { answersOf, type Poll, votesIn } from './tables/polls.ts'

// Polls on the client platform, for members by a token of theirs.

type Needs = {
  readonly context: PollContext
  readonly actorOf: (request: RequestInfo) => Promise<{ readonly fid: number }>
}

export const POLL_TAGS = [
  { name: 'Polls', description: 'Questions of members with a few answers, as snaps in casts.' },
]

/** What a poll asks, in every interface that makes one. */
export const POLL_FIELDS = {
  question: Type.String({ minLength: 1, maxLength: MAX_QUESTION_CHARACTERS }),
  answers: Type.Array(Type.String({ minLength: 1, maxLength: MAX_ANSWER_CHARACTERS }), {
    minItems: MIN_ANSWERS,
    maxItems: MAX_ANSWERS,
  }),
}
export const Seconds = Type.Integer({
  minimum: MIN_POLL_SECONDS,
  maximum: MAX_POLL_SECONDS,
  description: 'How long one can vote.',
})
export const Answers = Type.Array(Type.Object({ text: Type.String(), votes: Type.Integer() }), {
  description: 'In their order.',
})

const PollReply = Result(
  Type.Object({
    poll: Type.Object(
      {
        id: Type.String(),
        url: Type.String({ description: 'The snap: an embed of casts.' }),
        question: Type.String(),
        answers: Answers,
        votes: Type.Integer(),
        isOpen: Type.Boolean(),
        creatorFid: Type.Integer(),
        createdAt: Type.Integer({ description: 'Unix seconds.' }),
        endsAt: Type.Integer({ description: 'Unix seconds.' }),
      },
      { $id: 'Poll' },
    ),
  }),
)

const replyOf = ({ urlOf, now }: PollContext, poll: Poll) => ({
  result: {
    poll: {
      ...{ id: poll.id, url: urlOf(poll.id), question: poll.question },
      ...{ answers: [...answersOf(poll)], votes: votesIn(poll), isOpen: isOpen(poll, now()) },
      ...{ creatorFid: poll.creator_fid, createdAt: poll.created_at, endsAt: poll.ends_at },
    },
  },
})

export const platformPollRoutes = [
  route('POST /fc/polls', {
    callers: 'user',
    summary: 'Make a poll',
    description:
      'The answer has the address of a snap, to be embedded in a cast. Whoever has a key that this hub knows can vote, once, ' +
      `until the end. With \`id\` the same call again answers the same poll. An account makes ${MAX_POLLS_PER_DAY} polls in a day.`,
    tags: POLL_TAGS,
    body: json(
      Type.Object({
        id: Type.Optional(Type.String({ pattern: POLL_ID.source })),
        ...POLL_FIELDS,
        seconds: Seconds,
      }),
    ),
    reply: PollReply,
    errors: [
      'bad_request.validation_failure',
      'bad_request.conflict',
      'unauthorized',
      'unauthorized.suspended',
      'rate_limited',
      'not_supported',
    ],
    cost: 'write',
    handler: async ({ context, actorOf }: Needs, { body, request }) => {
      const { fid } = await actorOf(request)
      return replyOf(context, await createPoll(context, fid, body))
    },
  }),
  route('GET /fc/poll', {
    callers: 'anyone',
    summary: 'One poll with its result so far',
    description: 'Who chose what is not told.',
    tags: POLL_TAGS,
    query: { id: described(anyTextParam, 'The id of the poll.') },
    reply: PollReply,
    errors: ['not_found'],
    cost: 'lookup',
    handler: async ({ context }: Needs, { query: { id } }) =>
      replyOf(context, await getShownPoll(context.storage, id)),
  }),
  route('DELETE /fc/polls', {
    callers: 'user',
    summary: 'Delete a poll with its votes',
    description: 'Only its creator may. Casts with it show a plain link then.',
    tags: POLL_TAGS,
    body: json(Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })),
    reply: Success,
    errors: ['unauthorized', 'unauthorized.suspended', 'not_found'],
    cost: 'write',
    handler: async ({ context, actorOf }: Needs, { body: { id }, request }) => {
      const { fid } = await actorOf(request)
      await deletePoll(context, fid, id)
      return SUCCESS
    },
  }),
]
