import Type from 'typebox'
import { appOf } from '../../kernel/app-api/app-route.ts'
import { described, hexParam, textParam } from '../../kernel/http/input/params.ts'
import { bind, jsonAnswer, type Route, route } from '../../kernel/http/route.ts'
import type { SigningContext } from './context.ts'
import type { SignInPort } from './ports.ts'
import { SIGNERS, SignerReply, signerJson } from './signer-routes.ts'
import { appSignerRows } from './tables/app-signers.ts'

const MAX_MESSAGE_BYTES = 8_192
/** The newest ones are told; the published client asks for no pages. */
const MAX_LISTED = 100
const NO_STORE = { headers: { 'cache-control': 'no-store' } }

/** What an app needs to sign its users in and to find their signers again. */
type SignInContext = SigningContext & { readonly signIn: SignInPort }

export const signInRoutes = (context: SignInContext): Route[] => bind(context, [nonce, list])

const nonce = route('GET /v2/farcaster/login/nonce', {
  callers: 'app',
  summary: 'A nonce for a sign-in message',
  description: 'It holds for an hour, in messages that users sign for this app.',
  tags: SIGNERS,
  reply: Type.Object({ nonce: Type.String() }),
  cost: { cpu: 'small' },
  errors: [],
  handler: async ({ signIn }: SignInContext, { request }) =>
    jsonAnswer({ nonce: await signIn.nonce(appOf(request)) }, NO_STORE),
})

const list = route('GET /v2/farcaster/signer/list', {
  callers: 'app',
  summary: 'The signers of a user',
  description:
    'Those of this app whose secret the server keeps, the newest 100. The user signs in: `message` is a message of Ethereum ' +
    'sign-in (EIP-4361) with a nonce of /login/nonce, signed by the custody address. It may be shown again while the ' +
    'nonce holds.',
  tags: SIGNERS,
  query: {
    message: described(textParam({ maxBytes: MAX_MESSAGE_BYTES }), 'What the user has signed.'),
    signature: described(hexParam({ label: 'signature' }), 'In 0x hex.'),
  },
  reply: Type.Object({ signers: Type.Array(SignerReply) }),
  errors: ['bad_request.validation_failure', 'not_found'],
  cost: { cpu: 'medium', recoveries: 1 },
  handler: async (context: SignInContext, { query, request }) => {
    const app = appOf(request)
    const fid = await context.signIn.fidOf(app, query)
    const rows = await context.storage.of(appSignerRows).ofFid(app, fid, MAX_LISTED)
    const followed = await Promise.all(rows.map((row) => context.signers.followed(row)))
    const signers = await Promise.all(followed.map((row) => signerJson(context, row)))
    return jsonAnswer({ signers }, NO_STORE)
  },
})
