import Type from 'typebox'
import { described, patternParam } from '../../kernel/http/input/params.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import {
  type Asked,
  askToJoin,
  decide,
  findRequest,
  type JoinTerms,
  withdraw,
} from './join-requests.ts'
import { type JoinRequest, joinRequestRows } from './tables/join-requests.ts'

// Asking to join, for who has no account yet, and the queue of those who wait, for moderators.

const TAGS = [
  { name: 'Requests to join', description: 'Where moderators let in each person who asks.' },
]
/** Of one client. */
const MAX_ASKED_PER_HOUR = 20
const MAX_CALLED_CHARACTERS = 64
const MAX_REASON_CHARACTERS = 1_000
const MAX_ANSWER_CHARACTERS = 1_000
const MAX_ACTOR_CHARACTERS = 100
const MAX_SIGNATURE_BYTES = 1_024

const seconds = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `${description} Unix seconds.`,
  })
const addressText = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const ticketParam = described(
  patternParam(/^[1-9A-HJ-NP-Za-km-z]{1,64}$/),
  'What the answer to the request had.',
)
/** Something to read: more than blanks, and no control characters but those of lines. */
const TEXT = '^(?=[\\s\\S]*\\S)[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]*$'
const LINE = '^[^\\u0000-\\u001f\\u007f]*$'

const signupNow = Type.Enum(['open', 'invite', 'approval', 'closed'], {
  description: 'Who may join now: the operator may have changed it since.',
})

const STATE = {
  state: Type.Enum(['waiting', 'approved', 'declined'], {
    description:
      'approved: the address may register once, also while others need an invite. A request that is used, taken back or forgotten is gone: 404.',
  }),
  answer: Type.String({ description: 'What a moderator has written to the person.' }),
  askedAt: seconds('When it was asked.'),
  decidedAt: Type.Union([Type.Integer(), Type.Null()], { description: 'Unix seconds.' }),
  signup: signupNow,
}
const stateOf = async ({ signup }: JoinTerms, request: JoinRequest) => ({
  ...{ state: request.state, answer: request.answer },
  askedAt: request.asked_at,
  decidedAt: request.decided_at,
  signup: await signup(),
})

const ask = route('POST /v1/join-requests', {
  callers: 'anyone',
  summary: 'Ask to join',
  description:
    'Where `signup` of `GET /v1/info` is `approval`. Nothing of it is public, and nothing is registered. The address that is to ' +
    'hold the account signs, as an owner does for fid 0, the action `ask to join 0x` and the SHA-256 of the JSON text ' +
    '`[called, reason]`. Asked again, it takes the place of the earlier request. Forgotten after 30 days; an answer after 14. In ' +
    'a day 20 from one network and 50 from one provider (an IPv4 /16 or an IPv6 /32), of which 200 may wait, and 1,000 in all; then ' +
    'the newest of the provider with most requests makes room.',
  tags: TAGS,
  body: json(
    Type.Object({
      address: addressText,
      called: Type.String({
        maxLength: MAX_CALLED_CHARACTERS,
        pattern: LINE,
        description: 'What the person is called. Moderators see it.',
      }),
      reason: Type.String({
        minLength: 1,
        maxLength: MAX_REASON_CHARACTERS,
        pattern: TEXT,
        description: 'Why the person wants to join. Moderators see it.',
      }),
      deadline: seconds('Until when the signature holds, at most a day ahead.'),
      signature: Type.String({ pattern: `^0x([0-9a-fA-F]{2}){0,${MAX_SIGNATURE_BYTES}}$` }),
    }),
  ),
  reply: Type.Object({
    ticket: Type.String({ description: 'Shown once: who has it reads what has become of it.' }),
    ...STATE,
  }),
  errors: [
    'bad_request.validation_failure',
    'bad_request.conflict',
    'InvalidSignature',
    'SignatureExpired',
    'HasId',
    'not_supported',
    'rate_limited',
    'unavailable.overloaded',
  ],
  limit: { max: MAX_ASKED_PER_HOUR, windowSeconds: 3_600 },
  cost: { cpu: 'small', recoveries: 1, writes: 4 },
  handler: async (terms: JoinTerms, { body, request }) => {
    const asked: Asked = { ...body, address: fromHex(body.address)! }
    const { ticket, request: stored } = await askToJoin(terms, asked, request.ip)
    return { ticket, ...(await stateOf(terms, stored)) }
  },
})

const read = route('GET /v1/join-requests/:ticket', {
  callers: 'anyone',
  summary: 'What has become of a request to join',
  description: 'For who has asked.',
  tags: TAGS,
  params: { ticket: ticketParam },
  reply: Type.Object(STATE),
  errors: ['not_found'],
  cost: 'lookup',
  handler: async (terms: JoinTerms, { params: { ticket } }) =>
    stateOf(terms, await findRequest(terms.storage, ticket)),
})

const remove = route('DELETE /v1/join-requests/:ticket', {
  callers: 'anyone',
  summary: 'Take a request to join back',
  description: 'For who has asked. Everything of it is deleted.',
  tags: TAGS,
  params: { ticket: ticketParam },
  reply: Type.Object({ removed: Type.Literal(true) }),
  errors: ['not_found'],
  limit: 'write',
  cost: 'write',
  handler: async (terms: JoinTerms, { params: { ticket } }) => {
    await withdraw(terms, ticket)
    return { removed: true as const }
  },
})

/** For the accounts interface. */
export const joinRequestRoutes = (terms: JoinTerms): Route[] => bind(terms, [ask, read, remove])

const Waiting = Type.Object({
  address: Type.String(),
  called: Type.String(),
  reason: Type.String(),
  askedAt: seconds('When it was asked.'),
})

const list = route('GET /joining/requests', {
  callers: 'operator',
  summary: 'Who waits to be let in',
  description: 'The oldest first, also while people need not ask any more or may not join.',
  tags: TAGS,
  reply: Type.Object({
    signup: signupNow,
    requests: Type.Array(Waiting),
  }),
  errors: [],
  cost: { cpu: 'moderate', rows: 1_000 },
  handler: async ({ storage, signup }: JoinTerms) => {
    const [mode, rows] = await Promise.all([signup(), storage.of(joinRequestRows).waiting()])
    const requests = rows.map(({ address, called, reason, asked_at }) => ({
      ...{ address: toHex(address), called, reason },
      askedAt: asked_at,
    }))
    return { signup: mode, requests }
  },
})

/** More than one reads before one decides. */
const MAX_DECIDED = 50
/** Of a decision: the request, and its entry in the log. */
const WRITES_EACH = 2
const OUTCOMES = ['approved', 'declined'] as const

const decideAll = route('POST /joining/requests/decide', {
  callers: 'operator',
  summary: 'Let people in, or not',
  description:
    'Name the time of each request that you have read. Each has its own result: one that cannot be decided keeps back no other; after a fault of the server the rest is not tried. ' +
    'The people read the answer on the page where they have asked. It is in the log of moderation, for 30 days with what the person was ' +
    'called and the answer. An approval counts for 14 days, where people are let in one by one and where they need an invite.',
  tags: TAGS,
  body: json(
    Type.Object({
      outcome: Type.Enum(OUTCOMES),
      answer: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_ANSWER_CHARACTERS,
          pattern: TEXT,
          description: 'A greeting, or why not: everybody in the list reads it.',
        }),
      ),
      requests: Type.Array(
        Type.Object({
          address: addressText,
          askedAt: seconds(
            '`askedAt` of the request that you have read: when it was asked again since, it stays.',
          ),
        }),
        { minItems: 1, maxItems: MAX_DECIDED },
      ),
      actor: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_ACTOR_CHARACTERS })),
    }),
  ),
  reply: Type.Object({
    results: Type.Array(
      Type.Object({
        address: Type.String(),
        error: Type.Union(
          [Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()],
          { description: 'Why it could not be decided; null: it is.' },
        ),
      }),
      { description: 'In the order of the requests.' },
    ),
  }),
  errors: ['bad_request.validation_failure'],
  cost: { cpu: 'moderate', writes: WRITES_EACH * MAX_DECIDED },
  handler: async (terms: JoinTerms, { body, request }) => {
    const { outcome, answer = '', actor = 'operator' } = body
    const results: { address: string; error: Refused | null }[] = []
    let hasFailed = false
    for (const { address, askedAt } of body.requests) {
      const asked = { address: fromHex(address)!, askedAt }
      let error: Refused | null = hasFailed ? NOT_DECIDED : null
      if (!hasFailed) {
        try {
          await decide(terms, asked, outcome, { actor, answer })
        } catch (failure) {
          if (failure instanceof Rejection) error = failure
          else if (results.length === 0) throw failure
          else {
            // Whoever asked must learn what is decided already, so the call has an answer.
            request.log.error({ err: failure }, 'a decision about who asks to join failed')
            hasFailed = true
            error = NOT_DECIDED
          }
        }
      }
      results.push({
        address: address.toLowerCase(),
        error: error && { code: error.code, message: error.message },
      })
    }
    return { results }
  },
})

type Refused = Pick<Rejection, 'code' | 'message'>

/** After a fault of the server nothing more of the same call is tried. */
const NOT_DECIDED: Refused = {
  code: 'unavailable',
  message: 'the server has a fault, and this was not decided; try it again',
}

/** For the operations interface, and for moderators on the client platform. */
export const joinQueueRoutes = (terms: JoinTerms): Route[] => bind(terms, [list, decideAll])
