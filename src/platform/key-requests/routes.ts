import Type from 'typebox'
import type { UnsentTransaction } from '../../accounts/port.ts'
import { hexParam, optional } from '../../http/params.ts'
import { content, json, jsonAnswer, type RequestInfo, type Route, route } from '../../http/route.ts'
import { fromHex, toHex } from '../../protocol/bytes.ts'
import type { TypedData } from '../../protocol/eip712.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { PlatformContext } from '../context.ts'
import { cursor, encodeCursor, fid, limit, text } from '../params.ts'
import { Fid, Line, Result, UnixSeconds } from '../schemas.ts'
import { type Approval, approvalTypedData, approve, deny, simulateApproval } from './approve.ts'
import { createKeyRequest, readHex, readSignature, readToken } from './create.ts'
import type { KeyRequests } from './key-requests.ts'
import { Person, readPeople } from './people.ts'
import { KeyRequestJson, KeyRequestReply, keyRequestJson, keyRequestReply } from './request-json.ts'
import {
  APPROVAL_SECONDS,
  KEY_BYTES,
  MAX_REDIRECT_CHARACTERS,
  MAX_SIGNATURE_BYTES,
} from './rules.ts'
import { getAccount, listSigners, removalTypedData, removeSigner } from './signers.ts'
import { getRequest } from './stored.ts'

/** How an app obtains a key from a user, and how the user takes it back. */
export const keyRequestRoutes = (context: PlatformContext, requests: KeyRequests): Route[] => [
  createRoute(context, '/v2/signed-key-requests'),
  createRoute(context, '/v2/signed-key-request'),
  ...readRoutes(context, requests),
  ...approvalRoutes(context),
  ...signerRoutes(context),
]

const TAGS = ['Signed key requests']
const SIGNERS = ['Connected apps']
const NOT_STORED = { 'cache-control': 'no-store' }

const HexText = (maxBytes: number, description: string) =>
  Type.String({ pattern: '^0[xX][0-9a-fA-F]+$', maxLength: 2 + 2 * maxBytes, description })
const Signature = HexText(
  MAX_SIGNATURE_BYTES,
  'In 0x hex; 65 bytes unless a contract wallet signs.',
)
/** Published clients send these numbers as digits, too. Of so many digits each number is exact. */
const MAX_DIGITS = 15
const Digits = (description: string) =>
  Type.Union(
    [
      Type.Integer({ minimum: 1, maximum: 10 ** MAX_DIGITS - 1 }),
      Type.String({ pattern: `^[0-9]{1,${MAX_DIGITS}}$` }),
    ],
    { description },
  )
const Token = Type.String({ maxLength: 128 })

const NewRequest = Type.Object({
  key: HexText(KEY_BYTES, 'The Ed25519 public key, 0x and 64 hex digits.'),
  requestFid: Digits('The fid of the app.'),
  deadline: Digits('Until when the request counts, in Unix seconds; a day ahead is usual.'),
  signature: Signature,
  redirectUrl: Type.Optional(
    Line({
      maxLength: MAX_REDIRECT_CHARACTERS,
      description: 'Where a native app wants its user back; for apps that open deep links.',
    }),
  ),
  sponsorship: Type.Optional(
    Type.Object({ sponsorFid: Digits('The fid that pays.'), signature: Signature }),
  ),
  keyType: Type.Optional(Type.Literal('app-key')),
})

const createRoute = (context: PlatformContext, path: string): Route =>
  route(
    {
      method: 'POST',
      path,
      summary: 'Ask a user for a key',
      description:
        'Checked in this order: the shape, that requestFid is registered, the deadline, the SignedKeyRequest ' +
        "signature of its custody address, the sponsor's signature over the bytes of that signature, and the " +
        "sponsor's credits. The same content twice makes two requests.",
      tags: TAGS,
      body: json(NewRequest),
      reply: KeyRequestReply,
      errors: [
        'bad_request.validation_failure',
        'unavailable.overloaded',
        'unavailable.network_failure',
      ],
    },
    async ({ body }) => answer(keyRequestReply(context, await createKeyRequest(context, body))),
  )

const ApprovalReply = Result(
  Type.Object({
    approval: Type.Object({
      ...KeyRequestJson.properties,
      redirectUrl: Type.Optional(Type.String()),
      now: { ...UnixSeconds, description: 'The time of this network.' },
      createdAt: UnixSeconds,
      deadline: UnixSeconds,
      app: Type.Intersect([Person, Type.Object({ custodyAddress: Type.Optional(Type.String()) })]),
      user: Type.Optional(Type.Intersect([Person, Type.Object({ custodyAddress: Type.String() })])),
      keyState: Type.Optional(
        Type.Union([Type.Literal('none'), Type.Literal('active'), Type.Literal('removed')]),
      ),
      typedData: Type.Optional(Type.Object({}, { description: 'For eth_signTypedData_v4.' })),
    }),
  }),
)

const readRoutes = (context: PlatformContext, { streams }: KeyRequests): Route[] => [
  route(
    {
      method: 'GET',
      path: '/v2/signed-key-request',
      summary: 'The state of a request',
      description:
        'Poll it every two seconds or listen to /v2/signed-key-request-events. Once it is completed, ' +
        'messages signed by the key are accepted.',
      tags: TAGS,
      query: { token: text },
      reply: KeyRequestReply,
      errors: ['not_found'],
    },
    async ({ query }) =>
      answer(keyRequestReply(context, await getRequest(context, readToken(query.token)))),
  ),
  route(
    {
      method: 'GET',
      path: '/v2/signed-key-request-events',
      summary: 'The states of a request as they come, as server-sent events',
      description:
        'Each event is what /v2/signed-key-request answers; the last state ends the stream.',
      tags: TAGS,
      query: { token: text },
      reply: Type.String(),
      contentType: 'text/event-stream',
      errors: ['not_found', 'unavailable.overloaded'],
    },
    async ({ query, request }) => {
      const token = readToken(query.token)
      const stream = await streams.open(token, request.ip)
      return content(stream, 'text/event-stream', {
        headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      })
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v2/signed-key-request-approval',
      summary: 'Who asks, and what a user signs to approve',
      description:
        'With `fid`, or the `address` that holds one, `typedData` is the KeyGateway Add to be signed by its ' +
        'custody address within ten minutes.',
      tags: TAGS,
      query: {
        token: text,
        fid: optional(fid),
        address: optional(hexParam({ bytes: 20, label: 'address' })),
      },
      reply: ApprovalReply,
      errors: ['not_found'],
    },
    ({ query }) => approvalAnswer(context, query),
  ),
]

async function approvalAnswer(
  context: PlatformContext,
  query: { token: string; fid: number | undefined; address: Uint8Array | undefined },
) {
  const { accounts, storage } = context
  const request = await getRequest(context, readToken(query.token))
  const userFid = query.fid ?? (query.address && (await accounts.fidOf(query.address)))
  const user = userFid === undefined ? undefined : await accounts.custodyOf(userFid)
  const fids = [request.request_fid, ...(user ? [user.fid] : [])]
  const [people, signer, nonce, app] = await Promise.all([
    readPeople(storage, fids),
    user && storage.accounts.signer(user.fid, request.key),
    user && context.keyCalls.nonce('keyGateway', user.address),
    accounts.custodyOf(request.request_fid),
  ])
  const now = context.now()
  const owner = user?.address
  const typedData =
    owner && nonce !== undefined && request.state === 'pending'
      ? approvalTypedData(context, request, { owner, nonce, deadline: now + APPROVAL_SECONDS })
      : undefined
  return answer({
    result: {
      approval: {
        ...keyRequestJson(context, request),
        ...(request.redirect_url !== null && { redirectUrl: request.redirect_url }),
        now,
        createdAt: request.created_at,
        deadline: request.deadline,
        app: {
          ...people.get(request.request_fid)!,
          ...(app && { custodyAddress: toHex(app.address) }),
        },
        ...(user && {
          user: { ...people.get(user.fid)!, custodyAddress: toHex(user.address) },
          keyState: signer ? (signer.active ? 'active' : 'removed') : 'none',
        }),
        ...(typedData && { typedData: typedDataJson(typedData) }),
      },
    },
  })
}

const NewApproval = Type.Object({
  token: Token,
  deadline: Digits('That of the signature, in Unix seconds.'),
  signature: Signature,
  userFid: Type.Optional(Digits('Who approves. A token of the user in the header will do, too.')),
  fid: Type.Optional(Digits('The same as userFid.')),
})

const TransactionJson = Type.Object({
  chainId: Type.Integer(),
  to: Type.String(),
  data: Type.String(),
})
const ApprovedReply = Result(
  Type.Object({
    signedKeyRequest: KeyRequestJson,
    transaction: Type.Optional(TransactionJson),
  }),
)
const REFUSALS = [
  'unauthenticated',
  'not_found',
  'bad_request',
  'bad_request.conflict',
  'bad_request.validation_failure',
  'InvalidSignature',
  'SignatureExpired',
  'ExceedsMaximum',
  'unavailable',
] as const

const approvalRoutes = (context: PlatformContext): Route[] => [
  route(
    {
      method: 'PUT',
      path: '/v2/approve-signed-key-requests',
      summary: "Approve a request with the user's signature",
      description:
        'The signature is over KeyGateway Add, by the custody address of the user. Where nobody sends the ' +
        'call to the chain, `transaction` is what the user has to send, and the request waits for it.',
      tags: TAGS,
      body: json(NewApproval),
      reply: ApprovedReply,
      errors: REFUSALS,
    },
    async ({ body, request }) => {
      const done = await approve(context, await readApproval(context, body, request))
      const { transaction } = done
      return answer({
        result: {
          signedKeyRequest: keyRequestJson(context, done.request),
          ...(transaction && { transaction: transactionJson(transaction) }),
        },
      })
    },
  ),
  route(
    {
      method: 'PUT',
      path: '/v2/simulate-create-signed-key-request',
      summary: 'Whether an approval would be accepted now',
      tags: TAGS,
      body: json(NewApproval),
      reply: KeyRequestReply,
      errors: REFUSALS,
    },
    async ({ body, request }) => {
      const approval = await readApproval(context, body, request)
      return answer(keyRequestReply(context, await simulateApproval(context, approval)))
    },
  ),
  route(
    {
      method: 'PUT',
      path: '/v2/deny-signed-key-request',
      summary: 'Decline a request, for good',
      description:
        'By whoever holds an account here and has the token: the Authorization header carries a token signed ' +
        'by an app key or by the custody address.',
      tags: TAGS,
      body: json(Type.Object({ token: Token })),
      reply: KeyRequestReply,
      errors: ['unauthenticated', 'not_found', 'bad_request.conflict'],
    },
    async ({ body, request }) => {
      await context.actorOf(request, ['app_key', 'custody'])
      return answer(keyRequestReply(context, await deny(context, readToken(body.token))))
    },
  ),
]

type ApprovalBody = {
  token: string
  deadline: number | string
  signature: string
  userFid?: number | string
  fid?: number | string
}

async function readApproval(
  context: PlatformContext,
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

const SignersReply = Type.Object({
  result: Type.Object({
    user: Type.Intersect([Person, Type.Object({ custodyAddress: Type.String() })]),
    signers: Type.Array(
      Type.Object({ key: Type.String(), addedAt: UnixSeconds, app: Type.Optional(Person) }),
    ),
  }),
  next: Type.Optional(Type.Object({ cursor: Type.String() })),
})

const keyParam = hexParam({ bytes: KEY_BYTES, label: 'key' })

const signerRoutes = (context: PlatformContext): Route[] => [
  route(
    {
      method: 'GET',
      path: '/v2/signers',
      summary: 'The keys of a user that may sign, and the apps that asked for them',
      tags: SIGNERS,
      query: {
        fid: optional(fid),
        address: optional(hexParam({ bytes: 20, label: 'address' })),
        limit: limit({ default: 100, max: 1_000 }),
        cursor: cursor('s'),
      },
      reply: SignersReply,
      errors: ['not_found'],
    },
    async ({ query }) => {
      const account = await getAccount(context, query)
      const after = query.cursor && readHex(String(query.cursor[0]), 'cursor')
      const page = { size: query.limit, after }
      const { user, signers, next } = await listSigners(context, account.fid, page)
      const result = {
        user: { ...user, custodyAddress: toHex(account.address) },
        signers,
      }
      return next ? { result, next: { cursor: encodeCursor([toHex(next)]) } } : { result }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v2/signer-removal',
      summary: 'What a user signs to remove a key',
      description:
        'The KeyRegistry Remove, to be signed by the custody address within ten minutes.',
      tags: SIGNERS,
      query: { fid, key: keyParam },
      reply: Result(Type.Object({ typedData: Type.Object({}) })),
      errors: ['not_found'],
    },
    async ({ query }) => {
      const typedData = await removalTypedData(context, query.fid, query.key)
      return answer({ result: { typedData: typedDataJson(typedData) } })
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/v2/signers',
      summary: "Remove a key with the user's signature",
      description: 'A key that was removed can never be added to the same account again.',
      tags: SIGNERS,
      body: json(
        Type.Object({
          fid: Fid,
          key: HexText(KEY_BYTES, 'The key, in 0x hex.'),
          deadline: Digits('That of the signature, in Unix seconds.'),
          signature: Signature,
        }),
      ),
      reply: Result(
        Type.Object({
          success: Type.Literal(true),
          transaction: Type.Optional(TransactionJson),
        }),
      ),
      errors: ['not_found', 'InvalidSignature', 'SignatureExpired', 'InvalidState', 'unavailable'],
    },
    async ({ body }) => {
      const handed = await removeSigner(context, {
        fid: body.fid,
        key: fromHex(body.key) ?? new Uint8Array(),
        deadline: Number(body.deadline),
        signature: readSignature(body.signature, 'signature'),
      })
      const transaction = handed.outcome === 'unsent' ? handed.transaction : undefined
      const success = true as const
      return {
        result: { success, ...(transaction && { transaction: transactionJson(transaction) }) },
      }
    },
  ),
]

const answer = (value: object) => jsonAnswer(value, { headers: NOT_STORED })

/** As wallets take it: 256-bit numbers in digits, and the type of the domain said with the others. */
function typedDataJson({ domain, types, primaryType, message }: TypedData) {
  const fields = DOMAIN_FIELDS.filter(({ name }) => domain[name] !== undefined)
  const plain = (value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return {
    domain: { ...domain },
    types: { EIP712Domain: fields, ...types },
    primaryType,
    message: Object.fromEntries(
      Object.entries(message).map(([name, value]) => [name, plain(value)]),
    ),
  }
}

const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const

const transactionJson = ({ chainId, to, data }: UnsentTransaction) => ({
  chainId,
  to: toHex(to),
  data: toHex(data),
})
