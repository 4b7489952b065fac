import Type from 'typebox'
import { json, type RequestInfo, type Route, route } from '../../kernel/http/route.ts'
import { visibleText } from '../../kernel/platform/visible-text.ts'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { COMPLAINTS } from '../moderation-records/port.ts'
import { MAX_REPORT_CHARACTERS, type Reports } from './reports.ts'

/** The fid that signed a request's bearer token. */
export type ActorOf = (request: RequestInfo) => Promise<{ readonly fid: number }>

/** A host name and a port. */
const MAX_DOMAIN_CHARACTERS = 260
export const MAX_RULE_CHARACTERS = 200

const TAGS = [{ name: 'Reports', description: 'What users report to the operator.' }]

/** Reporting an account, a cast or a mini app, on the client platform. */
export const reportRoutes = (reports: Reports, actorOf: ActorOf): Route[] => [
  route('POST /v1/reports', {
    callers: 'user',
    summary: 'Report a cast, an account or a mini app to the operator',
    description:
      'Name a cast by `castHash`, an account by `fid`, or a mini app by `miniAppDomain`. Reporting the same once more ' +
      'changes nothing. A user may send 20 reports in 24 hours.',
    tags: TAGS,
    body: json(
      Type.Object({
        castHash: Type.Optional(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })),
        fid: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 })),
        miniAppDomain: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: MAX_DOMAIN_CHARACTERS,
            pattern: '^[\\x21-\\x7e]+$',
          }),
        ),
        reason: Type.String({ minLength: 1, maxLength: MAX_REPORT_CHARACTERS }),
        kind: Type.Optional(
          Type.Enum([...COMPLAINTS], {
            description: 'What is wrong: moderators filter by it, and statistics count it.',
          }),
        ),
        rule: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: MAX_RULE_CHARACTERS,
            pattern: '\\S',
            description:
              'The rule of the server that was broken, in one line. Without `kind` the report is of the kind `rule`.',
          }),
        ),
      }),
    ),
    reply: Type.Object({ result: Type.Object({ id: Type.Integer() }) }),
    errors: [
      'unauthorized.suspended',
      'bad_request.validation_failure',
      'not_found',
      'rate_limited',
      'unavailable.overloaded',
    ],
    cost: 'write',
    handler: async (_, { body, request }) => {
      const { fid: reporter } = await actorOf(request)
      const { fid, castHash, reason, kind, rule, miniAppDomain: miniApp } = body
      if (rule !== undefined && visibleText(rule) !== rule.trim()) {
        const text = 'rule must be one line without control and invisible characters'
        throw new Rejection('bad_request.validation_failure', text, { field: 'rule' })
      }
      const hash = castHash === undefined ? undefined : fromHex(castHash)
      const { id } = await reports.add({
        ...{ reporter, fid, castHash: hash, miniApp, reason },
        ...{ kind, rule },
      })
      return { result: { id } }
    },
  }),
]
