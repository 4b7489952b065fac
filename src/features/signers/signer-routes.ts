import Type, { type Static } from 'typebox'
import { appOf } from '../../kernel/app-api/app-route.ts'
import { FidNumber, SignerUuid } from '../../kernel/app-api/bodies.ts'
import { publicKeyParam } from '../../kernel/app-api/params.ts'
import { anyTextParam, described } from '../../kernel/http/input/params.ts'
import { type Answer, bind, json, jsonAnswer, type Route, route } from '../../kernel/http/route.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { RejectionCode } from '../../kernel/protocol/rejection.ts'
import type { SigningContext } from './context.ts'
import type { SignedKey } from './signers.ts'
import type { AppSigner } from './tables/app-signers.ts'

export const SIGNERS = [
  { name: 'Signers', description: 'Keys with which an app writes for its users.' },
]

const HexText = Type.String({ pattern: '^0[xX](?:[0-9a-fA-F]{2})+$', maxLength: 8_194 })
const Sponsor = Type.Object({
  fid: Type.Optional(FidNumber),
  signature: Type.Optional(HexText),
  sponsored_by_neynar: Type.Optional(Type.Boolean({ description: 'Ignored.' })),
})
const signedFields = {
  app_fid: FidNumber,
  deadline: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Unix seconds.',
  }),
  signature: HexText,
  redirect_url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
  sponsor: Type.Optional(Sponsor),
  gasless: Type.Optional(
    Type.Object(
      {
        scopes: Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 16 }),
        ttl: Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Seconds without use after which it ends.',
        }),
      },
      {
        description: 'Asks for a gasless key, as a signed key request of the client platform does.',
      },
    ),
  ),
}
const RegisterBody = Type.Object({ signer_uuid: SignerUuid, ...signedFields })
const RegisterOwnBody = Type.Object({
  public_key: Type.String({
    pattern: '^0[xX][0-9a-fA-F]{64}$',
    description: '0x and 64 hex digits.',
  }),
  ...signedFields,
})

const STATES = ['generated', 'pending_approval', 'approved', 'revoked'] as const
const Status = Type.Union(STATES.map((state) => Type.Literal(state)))
export const SignerReply = Type.Object({
  object: Type.Literal('signer'),
  signer_uuid: Type.String(),
  public_key: Type.String({ description: '0x and 64 hex digits.' }),
  status: Status,
  signer_approval_url: Type.Optional(Type.String({ description: 'Where the user approves it.' })),
  fid: Type.Optional(Type.Integer({ description: 'The account that approved it.' })),
  permissions: Type.Optional(Type.Array(Type.Literal('WRITE_ALL'))),
})
const OwnSignerReply = Type.Object({
  public_key: Type.String(),
  status: Status,
  signer_approval_url: Type.Optional(Type.String()),
  fid: Type.Optional(Type.Integer()),
})

const POLLED =
  'Poll it while the user is asked. A request that was denied or failed shows as revoked.'

const REGISTER_ERRORS: readonly RejectionCode[] = [
  'bad_request.validation_failure',
  'bad_request.conflict',
  'not_found',
  'unavailable.overloaded',
  'unavailable.network_failure',
]
const REGISTER_COST = { cpu: 'small', recoveries: 2, writes: 2 } as const

/** Managed signers, whose secret the server keeps, and signers whose secret the app keeps. */
export const signerRoutes = (context: SigningContext): Route[] =>
  bind(context, [createSigner, registerSigner, getSigner, registerOwnSigner, getOwnSigner])

const createSigner = route('POST /v2/farcaster/signer', {
  callers: 'app',
  summary: 'Make a signer',
  description:
    'The server makes an Ed25519 key and keeps its secret encrypted. A signer that is not approved within ' +
    '30 days is forgotten.',
  tags: SIGNERS,
  reply: SignerReply,
  errors: ['bad_request.conflict'],
  cost: { cpu: 'small', signatures: 1, writes: 1 },
  handler: async (context: SigningContext, { request }) =>
    signerAnswer(context, await context.signers.create(appOf(request))),
})

const registerSigner = route('POST /v2/farcaster/signer/signed_key', {
  callers: 'app',
  summary: 'Ask a user to approve a signer',
  description:
    'Makes a signed key request of the client platform, with its checks. Poll the signer until it is ' +
    'approved or revoked.',
  tags: SIGNERS,
  body: json(RegisterBody),
  reply: SignerReply,
  errors: REGISTER_ERRORS,
  cost: REGISTER_COST,
  handler: async (context: SigningContext, { body, request }) => {
    const signed = signedKeyOf(body)
    return signerAnswer(
      context,
      await context.signers.register(appOf(request), body.signer_uuid, signed),
    )
  },
})

const getSigner = route('GET /v2/farcaster/signer', {
  callers: 'app',
  summary: 'The state of a signer',
  description: POLLED,
  tags: SIGNERS,
  query: { signer_uuid: described(anyTextParam, 'A signer of this app.') },
  reply: SignerReply,
  errors: ['not_found'],
  cost: 'lookup',
  handler: async (context: SigningContext, { query, request }) =>
    signerAnswer(
      context,
      await context.signers.followed(await context.signers.get(appOf(request), query.signerUuid)),
    ),
})

const registerOwnSigner = route('POST /v2/farcaster/signer/developer_managed/signed_key', {
  callers: 'app',
  summary: 'Ask a user to approve a key of the app',
  description: 'The app keeps the secret of the key.',
  tags: SIGNERS,
  body: json(RegisterOwnBody),
  reply: OwnSignerReply,
  errors: REGISTER_ERRORS,
  cost: REGISTER_COST,
  handler: async (context: SigningContext, { body, request }) => {
    const key = publicKeyParam.parse(body.public_key, 'public_key')
    const signer = await context.signers.registerOwn(appOf(request), key, signedKeyOf(body))
    return uncached(await stateOf(context, signer))
  },
})

const getOwnSigner = route('GET /v2/farcaster/signer/developer_managed', {
  callers: 'app',
  summary: 'The state of a key of the app',
  description: POLLED,
  tags: SIGNERS,
  query: { public_key: publicKeyParam },
  reply: OwnSignerReply,
  errors: ['not_found'],
  cost: 'lookup',
  handler: async (context: SigningContext, { query, request }) => {
    const signer = await context.signers.getByKey(appOf(request), query.publicKey)
    return uncached(await stateOf(context, await context.signers.followed(signer)))
  },
})

const signerAnswer = async (context: SigningContext, signer: AppSigner): Promise<Answer> =>
  uncached(await signerJson(context, signer))

export async function signerJson(context: SigningContext, signer: AppSigner) {
  const { signers } = context
  const state = await stateOf(context, signer)
  const isUsable = state.status === 'approved' && (await signers.mayWriteAll(signer))
  return {
    object: 'signer',
    signer_uuid: signer.uuid,
    ...state,
    ...(isUsable && { permissions: ['WRITE_ALL'] }),
  }
}

async function stateOf({ signers, platform }: SigningContext, signer: AppSigner) {
  const status = await signers.statusOf(signer)
  const { request, fid, public_key } = signer
  const isWaiting = status === 'pending_approval' && request !== null
  return {
    public_key: toHex(public_key),
    status,
    ...(isWaiting && { signer_approval_url: platform.approvalUrl(request) }),
    ...(fid !== null && { fid }),
  }
}

/** A state that changes must not be cached. */
const uncached = (value: object) => jsonAnswer(value, { headers: { 'cache-control': 'no-store' } })

function signedKeyOf(body: Omit<Static<typeof RegisterBody>, 'signer_uuid'>): SignedKey {
  const { app_fid, deadline, signature, redirect_url, sponsor, gasless } = body
  const pays = sponsor?.fid !== undefined && sponsor.signature !== undefined
  return {
    requestFid: app_fid,
    deadline,
    signature,
    ...(redirect_url !== undefined && { redirectUrl: redirect_url }),
    ...(gasless && { gasless }),
    ...(pays && { sponsorship: { sponsorFid: sponsor.fid!, signature: sponsor.signature! } }),
  }
}
