import Type from 'typebox'
import { bind, json, type RequestInfo, type Route, route } from '../../kernel/http/route.ts'
import { agree, askedOf, type ConsentContext, termsNow } from './consents.ts'
import { consentRows } from './tables/consents.ts'

// What a member has agreed to, for a token that a key of the member has signed.

export type JoiningContext = ConsentContext & {
  /** The user of the bearer token; throws a Rejection for anybody else and for suspended accounts. */
  readonly actorOf: (request: RequestInfo) => Promise<{ readonly fid: number }>
}

const TAGS = [{ name: 'Rules', description: 'What people agree to when they join.' }]
const VERSION = '^(?:[0-9a-f]{32})?$'
/** Nobody is asked to be older. */
const MAX_AGE = 150

const version = Type.String({
  pattern: VERSION,
  description: '`rulesVersion` of `GET /v1/server` of the front door; empty without rules.',
})

const ConsentReply = Type.Object({
  isNeeded: Type.Boolean({
    description:
      'Whether the account has not agreed to the rules of now, or not said to be as old as members are. Ask before the ' +
      'account writes.',
  }),
  version,
  minimumAge: Type.Integer({ description: 'Years; 0: none.' }),
  agreed: Type.Union(
    [
      Type.Object({
        version,
        age: Type.Integer({
          description: 'The age that the member has said to have reached; 0: none was asked for.',
        }),
        at: Type.Integer({ description: 'Unix seconds.' }),
      }),
      Type.Null(),
    ],
    { description: 'What the account has agreed to last.' },
  ),
})

const read = route('GET /v1/consent', {
  callers: 'user',
  summary: 'Whether the user has agreed to the rules',
  description: 'The user is that of the bearer token.',
  tags: TAGS,
  reply: ConsentReply,
  errors: ['unauthorized.suspended'],
  cost: 'lookup',
  handler: async (context: JoiningContext, { request }) =>
    stateOf(context, (await context.actorOf(request)).fid),
})

const write = route('PUT /v1/consent', {
  callers: 'user',
  summary: 'Agree to the rules',
  description:
    'In place of an earlier consent. The record has the version, the time and the age that is asked for; it is in the export ' +
    'of the account and goes with its erasure. 409 when the rules have changed since they were shown.',
  tags: TAGS,
  body: json(
    Type.Object({
      version,
      age: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_AGE,
          description: '`minimumAge`, where the user says to be as old. 0 unless given.',
        }),
      ),
    }),
  ),
  reply: ConsentReply,
  errors: ['unauthorized.suspended', 'changed_meanwhile', 'bad_request.validation_failure'],
  limit: 'write',
  cost: 'write',
  handler: async (context: JoiningContext, { request, body: { version, age = 0 } }) => {
    const { fid } = await context.actorOf(request)
    await agree(context, fid, { version, age })
    return stateOf(context, fid)
  },
})

async function stateOf(context: JoiningContext, fid: number) {
  const [terms, asked, found] = await Promise.all([
    termsNow(context),
    askedOf(context, context.storage, fid),
    context.storage.of(consentRows).find(fid),
  ])
  const agreed = found ? { version: found.version, age: found.age, at: found.agreed_at } : null
  return { isNeeded: asked !== undefined, ...terms, agreed }
}

/** For the accounts interface. */
export const joiningRoutes = (context: JoiningContext): Route[] => bind(context, [read, write])
