import Type, { type Static } from 'typebox'
import { hexParam, optional } from '../../kernel/http/input/params.ts'
import { json, type RequestInfo, type Route, route } from '../../kernel/http/route.ts'
import { fid, token } from '../../kernel/platform/params.ts'
import { Result, UnixSeconds } from '../../kernel/platform/schemas.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { readProfiles } from '../../kernel/storage/reads/profiles.ts'
import { type Approval, approvalTypedData, approve, deny, simulateApproval } from './approve.ts'
import { Digits, Signature, Token } from './bodies.ts'
import type { KeyRequestContext } from './context.ts'
import { readSignature, readToken } from './create.ts'
import { APPROVAL_SECONDS } from './limits.ts'
import { KEY_REQUESTS, type Needs } from './needs.ts'
import { Person, readPeople } from './people.ts'
import {
  answer,
  KeyRequestJson,
  KeyRequestReply,
  keyRequestJson,
  keyRequestReply,
} from './request-json.ts'
import { getSettled } from './request-store.ts'
import { TransactionJson, TypedDataJson, transactionJson, typedDataJson } from './wallet-json.ts'

const AppDetails = Type.Object({
  custodyAddress: Type.Optional(Type.String()),
  website: Type.Optional(Type.String({ description: 'As its profile states; not verified.' })),
  hasBadge: Type.Boolean({ description: 'Whether it has a power badge.' }),
})

const AccountsHomeJson = Type.Object(
  {
    source: Type.Union([Type.Literal('ledger'), Type.Literal('chain')]),
    chainId: Type.Integer(),
    network: Type.String(),
  },
  { description: 'Where accounts are kept: by this server (ledger) or on the chain with this id.' },
)

const ApprovalReply = Result(
  Type.Object({
    approval: Type.Object({
      ...KeyRequestJson.properties,
      redirectUrl: Type.Optional(Type.String()),
      now: { ...UnixSeconds, description: 'The time of this network.' },
      createdAt: UnixSeconds,
      deadline: UnixSeconds,
      app: Type.Intersect([Person, AppDetails]),
      accounts: AccountsHomeJson,
      user: Type.Optional(Type.Intersect([Person, Type.Object({ custodyAddress: Type.String() })])),
      keyState: Type.Optional(
        Type.Union([Type.Literal('none'), Type.Literal('active'), Type.Literal('removed')]),
      ),
      typedData: Type.Optional(TypedDataJson),
    }),
  }),
)

const NewApproval = Type.Object({
  token: Token,
  deadline: Digits('That of the signature, in Unix seconds.'),
  signature: Signature,
  userFid: Type.Optional(Digits('Who approves. A token of the user in the header will do, too.')),
  fid: Type.Optional(Digits('The same as userFid.')),
})

/** Who sends no token in the header has to name the user. */
const approvalBody = json(NewApproval, {
  documented: Type.Object({
    ...NewApproval.properties,
    userFid: Digits('Who approves. A token of the user in the Authorization header will do, too.'),
  }),
})

const ApprovedReply = Result(
  Type.Object({
    signedKeyRequest: KeyRequestJson,
    transaction: Type.Optional(TransactionJson),
  }),
)
const REFUSALS = [
  'not_found',
  'bad_request',
  'bad_request.conflict',
  'bad_request.validation_failure',
  'InvalidSignature',
  'SignatureExpired',
  'ExceedsMaximum',
  'rate_limited',
  'unavailable',
] as const

const approval = route('GET /v2/signed-key-request-approval', {
  callers: 'anyone',
  summary: 'Who asks, and what a user signs to approve',
  description:
    'With `fid`, or the `address` that holds one, `typedData` is the KeyGateway Add to be signed by its ' +
    'custody address within ten minutes; KeyAdd where the app asks for a gasless key.',
  tags: KEY_REQUESTS,
  query: {
    token,
    fid: optional(fid),
    address: optional(hexParam({ bytes: 20, label: 'address' })),
  },
  reply: ApprovalReply,
  errors: ['not_found'],
  cost: 'lookup',
  handler: ({ context }: Needs, { query }) => approvalAnswer(context, query),
})

const approveRequest = route('PUT /v2/approve-signed-key-requests', {
  callers: 'anyone or user',
  summary: "Approve a request with the user's signature",
  description:
    'The signature is over KeyGateway Add, by the custody address of the user. Where the server does not send the ' +
    'call to the chain, `transaction` is what the user has to send, and the request waits for it. For a gasless key it ' +
    'is over KeyAdd, and the request is completed with the answer. ' +
    'The deadline is at most a week ahead.',
  tags: KEY_REQUESTS,
  body: approvalBody,
  reply: ApprovedReply,
  errors: REFUSALS,
  cost: 'write',
  handler: async ({ context }: Needs, { body, request }) => {
    const done = await approve(context, await readApproval(context, body, request))
    const { transaction } = done
    return answer({
      result: {
        signedKeyRequest: keyRequestJson(context, done.request),
        ...(transaction && { transaction: transactionJson(transaction) }),
      },
    })
  },
})

const simulate = route('PUT /v2/simulate-create-signed-key-request', {
  callers: 'anyone or user',
  summary: 'Whether an approval would be accepted now',
  description: 'Checks everything that the approval itself checks, and changes nothing.',
  tags: KEY_REQUESTS,
  body: approvalBody,
  reply: KeyRequestReply,
  errors: REFUSALS,
  cost: 'write',
  handler: async ({ context }: Needs, { body, request }) => {
    const approval = await readApproval(context, body, request)
    return answer(keyRequestReply(context, await simulateApproval(context, approval)))
  },
})

const denyRequest = route('PUT /v2/deny-signed-key-request', {
  callers: 'user',
  summary: 'Deny a request permanently',
  description:
    'By any account of this server that has the token: the Authorization header carries a token signed ' +
    'by an app key or by the custody address.',
  tags: KEY_REQUESTS,
  body: json(Type.Object({ token: Token })),
  reply: KeyRequestReply,
  errors: ['not_found', 'bad_request.conflict', 'bad_request'],
  cost: 'write',
  handler: async ({ context }: Needs, { body, request }) => {
    await context.actorOf(request, ['app_key', 'custody'])
    return answer(keyRequestReply(context, await deny(context, readToken(body.token))))
  },
})

/** The user's routes: read, approve or deny a request. */
export const approvalRoutes: readonly Route<Needs>[] = [
  approval,
  approveRequest,
  simulate,
  denyRequest,
]

async function approvalAnswer(
  context: KeyRequestContext,
  query: { token: string; fid: number | undefined; address: Uint8Array | undefined },
) {
  const { accounts, storage } = context
  const request = await getSettled(context, readToken(query.token))
  const userFid = query.fid ?? (query.address && (await accounts.fidOf(query.address)))
  const user = userFid === undefined ? undefined : await accounts.custodyOf(userFid)
  const fids = [request.request_fid, ...(user ? [user.fid] : [])]
  const now = context.now()
  const isAsked = user !== undefined && request.state === 'pending'
  const [people, signer, app, typedData] = await Promise.all([
    readPeople(storage, fids),
    user && storage.accounts.signer(user.fid, request.key),
    readApp(context, request.request_fid),
    isAsked ? approvalTypedData(context, request, user, now + APPROVAL_SECONDS) : undefined,
  ])
  return answer({
    result: {
      approval: {
        ...keyRequestJson(context, request),
        ...(request.redirect_url !== null && { redirectUrl: request.redirect_url }),
        now,
        createdAt: request.created_at,
        deadline: request.deadline,
        app: { ...people.get(request.request_fid)!, ...app },
        accounts: accountsHomeOf(context),
        ...(user && {
          user: { ...people.get(user.fid)!, custodyAddress: toHex(user.address) },
          keyState: signer ? (signer.active ? 'active' : 'removed') : 'none',
        }),
        ...(typedData && { typedData: typedDataJson(typedData) }),
      },
    },
  })
}

/** What a user may want to know of the requesting app beside its names. */
async function readApp(
  context: KeyRequestContext,
  fid: number,
): Promise<Static<typeof AppDetails>> {
  const { accounts, storage } = context
  const [custody, [profile], hasBadge] = await Promise.all([
    accounts.custodyOf(fid),
    readProfiles(storage.published.messages, [fid], ['website']),
    context.hasBadge(fid),
  ])
  return {
    ...(custody && { custodyAddress: toHex(custody.address) }),
    ...(profile?.website && { website: profile.website }),
    hasBadge,
  }
}

const accountsHomeOf = ({ accountsHome: { source, chainId, network } }: KeyRequestContext) => ({
  source,
  chainId,
  network,
})

type ApprovalBody = {
  token: string
  deadline: number | string
  signature: string
  userFid?: number | string
  fid?: number | string
}

async function readApproval(
  context: KeyRequestContext,
  body: ApprovalBody,
  request: RequestInfo,
): Promise<Approval> {
  const given = body.userFid ?? body.fid
  const hasToken = request.headers.authorization !== undefined
  if (given === undefined && !hasToken) {
    const message = 'userFid is missing: say who approves'
    throw new Rejection('bad_request.validation_failure', message, { field: 'userFid' })
  }
  const userFid = given ?? (await context.actorOf(request, ['app_key', 'custody'])).fid
  return {
    token: readToken(body.token),
    userFid: Number(userFid),
    deadline: Number(body.deadline),
    signature: readSignature(body.signature, 'signature'),
  }
}
