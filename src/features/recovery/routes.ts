import Type from 'typebox'
import { OWNER_FIELDS } from '../../kernel/accounts/owner-request.ts'
import { FidNumber } from '../../kernel/app-api/bodies.ts'
import { described, fidParam, hexParam, optional } from '../../kernel/http/input/params.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'

import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection, type RejectionCode } from '../../kernel/protocol/rejection.ts'
import { MAX_FID } from '../../kernel/protocol/sizes.ts'
import { HOUR_SECONDS, SECOND_MS, unixMsOf } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { type PersonFacts, peopleRows } from '../operations/port.ts'
import { MAX_LOOKED_AT, type RecoveryService } from './recovery-service.ts'
import { RecoveryCase, RecoveryReply, RecoveryRequest } from './schemas.ts'
import type { Recovery } from './tables/recoveries.ts'
import { recoveryRows } from './tables/recoveries.ts'

// The recovery service for people, and what the operator decides about their requests.

const RECOVERY = [
  {
    name: 'Recovery',
    description: 'Accounts whose owners have lost every key, moved by the operator.',
  },
]
const PATH = '/v1/recovery'
/** Requests of one client. */
const MAX_ASKED_PER_HOUR = 10
const MAX_NOTE_CHARACTERS = 500
const MAX_SIGNATURE_CHARACTERS = 132
const MAX_TOKEN_CHARACTERS = 200
const ADDRESS = '^0x[0-9a-fA-F]{40}$'
const receiverParam = described(hexParam({ bytes: 20 }), 'The address of the new key.')

const AskBody = Type.Object({
  fid: FidNumber,
  receiver: Type.String({ pattern: ADDRESS, description: 'The address of the new key.' }),
  deadline: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Until when the signature holds, in Unix seconds.',
  }),
  signature: Type.String({
    pattern: '^0x[0-9a-fA-F]{130}$',
    maxLength: MAX_SIGNATURE_CHARACTERS,
    description: 'By `receiver`, over Transfer under the IdRegistry domain.',
  }),
  note: Type.String({
    maxLength: MAX_NOTE_CHARACTERS,
    description: 'By what the operator knows who asks, and how to answer.',
  }),
  link: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TOKEN_CHARACTERS,
      description:
        'The token of the link that `POST /v1/mail/recover` has sent: the waiting time begins at once, without the operator.',
    }),
  ),
})

const errors: readonly RejectionCode[] = [
  'bad_request.validation_failure',
  'bad_request.conflict',
  'InvalidSignature',
  'HasId',
  'Unauthorized',
  'not_supported',
  'not_found',
  'rate_limited',
  'unavailable.overloaded',
]

type PublicContext = {
  readonly recovery: RecoveryService
  readonly storage: Pick<Storage, 'of'>
}

/** For the accounts interface: who asks has no key of the account. */
export const recoveryRoutes = (context: PublicContext): Route[] =>
  bind(context, [readRecovery, askForRecovery, readRequest, takeBack, lookAtStop, stopMove])

const readRecovery = route(`GET ${PATH}`, {
  callers: 'anyone',
  summary: 'The recovery service, and whether an account is about to be moved',
  description:
    'Anybody may see that an account is to be moved: its owner stops that with another recovery address.',
  tags: RECOVERY,
  query: { fid: optional(described(fidParam, 'An account.')) },
  reply: RecoveryReply,
  cost: { cpu: 'small', rows: 5 },
  errors: [],
  handler: async ({ recovery, storage }: PublicContext, { query: { fid } }) => {
    const [terms, rows] = await Promise.all([
      recovery.terms(),
      fid === undefined ? [] : storage.of(recoveryRows).ofFid(fid),
    ])
    const due = rows.flatMap(({ due_at }) => due_at ?? [])
    return {
      service: terms ? { address: toHex(terms.address), waitDays: terms.days } : null,
      movesAt: !terms || due.length === 0 ? null : Math.min(...due),
    }
  },
})

const askForRecovery = route(`POST ${PATH}`, {
  callers: 'anyone',
  summary: 'Ask the operator to move an account to a new key',
  description:
    'For accounts that have named the recovery service. The operator decides; an undecided request is forgotten after 30 days. ' +
    'In a day 5 from one network, and from one provider (an IPv4 /16 or an IPv6 /32) 10, of them 3 for one account.',
  tags: RECOVERY,
  body: json(AskBody),
  reply: RecoveryRequest,
  errors,
  limit: { max: MAX_ASKED_PER_HOUR, windowSeconds: 3_600 },
  cost: { cpu: 'small', recoveries: 2, writes: 3 },
  handler: async ({ recovery }: PublicContext, { body, request }) => {
    const asked = { receiver: fromHex(body.receiver)!, signature: fromHex(body.signature)! }
    return requestJson(await recovery.ask({ ...body, ...asked }, request.ip))
  },
})

const readRequest = route(`GET ${PATH}/requests/:receiver`, {
  callers: 'anyone',
  summary: 'What has become of a request',
  description:
    'Until it is decided, and then until the account is moved. Refused and stopped requests are gone. Of a key that has asked ' +
    'for several accounts the newest, unless `fid` names one.',
  tags: RECOVERY,
  params: { receiver: receiverParam },
  query: { fid: optional(described(fidParam, 'The account that the key has asked for.')) },
  reply: RecoveryRequest,
  errors: ['not_found'],
  cost: { cpu: 'small', rows: 1 },
  handler: async ({ storage: { of } }: PublicContext, { params: { receiver }, query: { fid } }) => {
    const found =
      fid === undefined
        ? (await of(recoveryRows).ofReceiver(receiver))[0]
        : await of(recoveryRows).find({ receiver, fid })
    if (!found) throw new Rejection('not_found', 'there is no such request')
    return requestJson(found)
  },
})

const takeBack = route(`POST ${PATH}/take-back`, {
  callers: 'anyone',
  summary: 'Take a request back, also one that waits for its time',
  description:
    'The action that `receiver` signs, as an owner does for `fid`, is `take back recovery`. Everything of the request is deleted.',
  tags: RECOVERY,
  body: json(
    Type.Object({
      ...OWNER_FIELDS,
      receiver: Type.String({ pattern: ADDRESS, description: 'The address of the new key.' }),
    }),
  ),
  reply: Type.Object({ takenBack: Type.Literal(true) }),
  errors: ['bad_request.validation_failure', 'InvalidSignature', 'SignatureExpired', 'not_found'],
  limit: { max: MAX_ASKED_PER_HOUR, windowSeconds: 3_600 },
  cost: { cpu: 'small', recoveries: 1, writes: 2 },
  handler: async ({ recovery }: PublicContext, { body }) => {
    await recovery.takeBack({ ...body, receiver: fromHex(body.receiver)! })
    return { takenBack: true as const }
  },
})

const StopToken = Type.Object({
  token: Type.String({ minLength: 1, maxLength: MAX_TOKEN_CHARACTERS }),
})

const lookAtStop = route(`POST ${PATH}/link`, {
  callers: 'anyone',
  summary: 'What can still be done with the link that stops a move',
  description: 'It changes nothing. 404 for what is no link of this server.',
  tags: RECOVERY,
  body: json(StopToken),
  reply: Type.Object({
    fid: Type.Integer({ description: 'The account.' }),
    movesAt: Type.Integer({ description: 'Unix seconds.' }),
    state: Type.Enum(['waiting', 'moved', 'ended'], {
      description:
        'waiting: it can be stopped. moved: the account has, or had, the new key. ended: it was stopped, or has made room for another.',
    }),
  }),
  errors: ['not_found'],
  limit: 'write',
  cost: { cpu: 'small', rows: MAX_LOOKED_AT + 1 },
  handler: async ({ recovery }: PublicContext, { body: { token } }) => {
    const found = await recovery.lookAtStop(token)
    if (!found) {
      throw new Rejection('not_found', 'this is no link that stops a move', { field: 'token' })
    }
    return found
  },
})

const stopMove = route(`POST ${PATH}/stop`, {
  callers: 'anyone',
  summary: 'Stop a move to another key, with the link that the owner was sent',
  description:
    'The token is in the mail that told of the move, and holds until the account is moved. Nobody need be signed in.',
  tags: RECOVERY,
  body: json(StopToken),
  reply: Type.Object({ stopped: Type.Literal(true) }),
  errors: ['not_found'],
  limit: { max: MAX_ASKED_PER_HOUR, windowSeconds: 3_600 },
  cost: 'write',
  handler: async ({ recovery }: PublicContext, { body: { token } }) => {
    await recovery.stop(token)
    return { stopped: true as const }
  },
})

type OperatorContext = {
  readonly recovery: RecoveryService
  readonly storage: Pick<Storage, 'of'>
}
const OPERATOR = 'operator'
const DecisionBody = Type.Object({
  fid: Type.Integer({
    minimum: 1,
    maximum: MAX_FID,
    description: 'The account of the request that you have read.',
  }),
  askedAt: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: '`askedAt` of the request that you have read. 409 when it was asked again since.',
  }),
  actor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Who decides; `operator` unless given.',
    }),
  ),
  reason: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'How you know who asks. The log of moderation has it.',
  }),
})

/** For the operations interface. */
export const recoveryOperatorRoutes = (context: OperatorContext): Route[] =>
  bind(context, [listRecoveries, decide('start'), decide('refuse')])

const listRecoveries = route('GET /app/recoveries', {
  callers: 'operator',
  tags: RECOVERY,
  summary: 'Who asks for a new key of an account',
  description: 'The oldest first, also those whose waiting time has begun: at most 1,000 of each.',
  reply: Type.Object({
    waitDays: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Days from a decision to the move; null: there is no service.',
    }),
    requests: Type.Array(RecoveryCase),
  }),
  errors: [],
  cost: 'lookup',
  handler: async ({ recovery, storage }: OperatorContext) => {
    const rows = await storage.of(recoveryRows).list()
    const facts = await storage.of(peopleRows).facts([...new Set(rows.map(({ fid }) => fid))])
    const byFid = new Map(facts.map((one) => [one.fid, one]))
    const requests = rows.map((row) => caseJson(row, byFid.get(row.fid)))
    return { waitDays: (await recovery.terms())?.days ?? null, requests }
  },
})

const decide = (what: 'start' | 'refuse') =>
  route(`POST /app/recoveries/:receiver/${what}`, {
    callers: 'operator',
    tags: RECOVERY,
    summary:
      what === 'start'
        ? 'Move an account to a new key after the waiting time'
        : 'Refuse a request, or stop a move that waits',
    description:
      'Make sure who asks before you start. Name the account and the time of the request that you have read: who asks may ' +
      'again, for another account or with other words. It is in the log of moderation with its reason.',
    params: { receiver: receiverParam },
    body: json(DecisionBody),
    reply: RecoveryRequest,
    errors: ['not_found', 'not_supported', 'changed_meanwhile', 'bad_request.validation_failure'],
    cost: 'write',
    handler: async ({ recovery }: OperatorContext, { params: { receiver }, body }) => {
      const { fid, askedAt: asked_at, actor = OPERATOR, reason } = body
      return requestJson(await recovery[what]({ receiver, fid, asked_at }, { actor, reason }))
    },
  })

const requestJson = (row: Recovery): RecoveryRequest => ({
  receiver: toHex(row.receiver),
  fid: row.fid,
  askedAt: row.asked_at,
  movesAt: row.due_at,
})

const caseJson = (row: Recovery, facts: PersonFacts | undefined): RecoveryCase => ({
  ...requestJson(row),
  note: row.note,
  ...(facts?.name && { username: Buffer.from(facts.name).toString() }),
  ...(facts?.hour && { lastSeenAt: unixMsOf(facts.hour * HOUR_SECONDS) / SECOND_MS }),
})
