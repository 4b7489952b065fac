import Type from 'typebox'
import { described, textParam } from '../../kernel/http/input/params.ts'
import {
  bind,
  json,
  jsonAnswer,
  type Reply,
  type RequestInfo,
  type Route,
  route,
} from '../../kernel/http/route.ts'
import {
  exchange,
  newNonce,
  QuickAuthRefusal,
  type QuickAuthTerms,
  verifyToken,
} from './quick-auth.ts'
import { TAGS } from './relay-routes.ts'
import { MessageText, SignatureHex } from './schemas.ts'

export type QuickAuthContext = QuickAuthTerms & {
  /** The public URL that the operator has set for the client platform; undefined: where it was asked. */
  readonly issuer: string | undefined
}

const MAX_TOKEN_CHARACTERS = 4_096
const MAX_DOMAIN_CHARACTERS = 255

/** The routes of Quick Auth. */
export const quickAuthRoutes = (context: QuickAuthContext): Route[] =>
  bind(context, [nonce, verifySiwf, verifyJwt, jwks])

/** The operator's route, for the operations interface. */
export const operatorSignInRoutes = (context: QuickAuthContext): Route[] =>
  bind(context, [replaceKey])

const Refused = Type.Object(
  {
    error: Type.String({ description: 'invalid_nonce, invalid_signature or invalid_token.' }),
    error_message: Type.String(),
  },
  { description: 'As the published client reads it.' },
)
const Claims = Type.Object({
  sub: Type.Integer({ description: 'The fid.' }),
  iss: Type.String({ description: 'The origin of this server for Quick Auth.' }),
  aud: Type.String({ description: 'The domain of the app.' }),
  exp: Type.Integer(),
  iat: Type.Integer(),
})
const Domain = Type.String({
  maxLength: MAX_DOMAIN_CHARACTERS,
  description: 'The domain of the app, as in the message.',
})

const nonce = route('POST /nonce', {
  callers: 'anyone',
  summary: 'A nonce for a sign-in message',
  description: 'It counts once, and for five minutes. Nothing is stored before it is used.',
  tags: TAGS,
  reply: Type.Object({ nonce: Type.String() }),
  cost: { cpu: 'small' },
  errors: [],
  handler: async (context: QuickAuthContext) => ({ nonce: await newNonce(context) }),
})

const verifySiwf = route('POST /verify-siwf', {
  callers: 'anyone',
  summary: 'Exchange a signed sign-in message for a token',
  description:
    'The message has a nonce of /nonce and the domain of the app, and is signed by the custody address of its fid ' +
    'or by an auth address. The token is a JWT (RS256) that lasts for an hour. Of one fid, 100 in five minutes.',
  tags: TAGS,
  body: json(
    Type.Object({
      message: MessageText,
      domain: Domain,
      signature: SignatureHex,
      acceptAuthAddress: Type.Optional(
        Type.Boolean({ description: 'Whether an auth address may sign; true unless given.' }),
      ),
    }),
  ),
  reply: Type.Object({ valid: Type.Literal(true), token: Type.String() }),
  otherReplies: { 400: Refused },
  errors: ['bad_request.validation_failure', 'rate_limited', 'unavailable.network_failure'],
  cost: { recoveries: 2, writes: 2 },
  handler: (context: QuickAuthContext, { body, request }) =>
    refusing(async () => {
      const { acceptAuthAddress = true, ...proof } = body
      const issuer = issuerOf(context, request)
      const token = await exchange(context, { ...proof, acceptAuthAddress }, issuer)
      return { valid: true as const, token }
    }),
})

const verifyJwt = route('GET /verify-jwt', {
  callers: 'anyone',
  summary: 'The claims of a token',
  description:
    'For servers that cannot verify it themselves by the keys of /.well-known/jwks.json.',
  tags: TAGS,
  query: {
    token: described(textParam({ maxBytes: MAX_TOKEN_CHARACTERS }), 'The token of a user.'),
    domain: described(textParam({ maxBytes: MAX_DOMAIN_CHARACTERS }), 'The domain of the app.'),
  },
  reply: Claims,
  otherReplies: { 400: Refused },
  errors: ['bad_request.invalid_param'],
  cost: { cpu: 'moderate' },
  handler: (context: QuickAuthContext, { query, request }) =>
    refusing(async () => {
      const claims = await verifyToken(context, { ...query, issuer: issuerOf(context, request) })
      return claims as object as {
        sub: number
        iss: string
        aud: string
        exp: number
        iat: number
      }
    }),
})

const jwks = route('GET /.well-known/jwks.json', {
  callers: 'anyone',
  summary: 'The keys that verify tokens',
  description: 'A JSON Web Key Set with one RSA key.',
  tags: TAGS,
  reply: Type.Object({
    keys: Type.Array(
      Type.Object({
        kty: Type.String(),
        n: Type.String(),
        e: Type.String(),
        alg: Type.String(),
        use: Type.String(),
        kid: Type.String(),
      }),
    ),
  }),
  cost: { cpu: 'small' },
  errors: [],
  handler: async ({ keys }: QuickAuthContext) =>
    jsonAnswer({ keys: [(await keys.current()).publicJwk] }),
})

const replaceKey = route('POST /sign-in/key', {
  callers: 'operator',
  summary: 'Replace the key that signs tokens of Quick Auth',
  description: 'Tokens and nonces of the former key stop counting at once: users sign in again.',
  tags: [{ name: 'Sign in', description: 'The key of Quick Auth.' }],
  reply: Type.Object({ kid: Type.String() }),
  errors: [],
  cost: 'write',
  handler: async ({ keys }: QuickAuthContext) => ({ kid: await keys.replace() }),
})

/**
 * The `iss` of tokens, which clients compare with the origin that they are set to. Without a public URL it is the
 * address of the request: whoever forges it gets a token that no client of this server accepts.
 */
const issuerOf = ({ issuer }: QuickAuthContext, { headers, basePath }: RequestInfo): string =>
  issuer ?? `http://${headers.host}${basePath}`

async function refusing<T extends object>(work: () => Promise<T>): Promise<Reply<T>> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof QuickAuthRefusal)) throw error
    const body = { error: error.reason, error_message: error.message }
    return jsonAnswer(body, { status: 400 })
  }
}
