import Type, { type Static } from 'typebox'
import type { CallResult } from '../../kernel/accounts/port.ts'
import { appOf } from '../../kernel/app-api/app-route.ts'
import { FidNumber, invalidField, SignerUuid } from '../../kernel/app-api/bodies.ts'
import { usersOf } from '../../kernel/app-api/pages.ts'
import { inFieldsOf } from '../../kernel/app-api/refusals.ts'
import { User } from '../../kernel/app-api/schemas.ts'
import { bind, json, jsonAnswer, type Route, route } from '../../kernel/http/route.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { RejectionCode } from '../../kernel/protocol/rejection.ts'

import type { AppApi } from '../app-api/port.ts'
import { SignerReply, signerJson } from '../signers/port.ts'
import { type FidStock, ledgerOf, type Registrations } from './registrations.ts'

const TAGS = [{ name: 'Registration', description: 'New accounts for the users of an app.' }]
const MAX_KEYS = 20
const MAX_METADATA_BYTES = 8_192

const hexText = (bytes: number) => ({
  maxLength: 2 + 2 * bytes,
  pattern: '^0[xX](?:[0-9a-fA-F]{2})+$',
})
const Address = Type.String({ pattern: '^0[xX][0-9a-fA-F]{40}$' })
const Signature = Type.String(hexText(4_096))
const Deadline = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Unix seconds.',
})

const ERRORS: readonly RejectionCode[] = [
  'bad_request.validation_failure',
  'not_found',
  'not_supported',
  'InvalidSignature',
  'SignatureExpired',
  'HasId',
  'Unauthorized',
  'ExceedsCapacity',
  'InvalidState',
  'ValidatorNotFound',
  'InvalidMetadata',
  'signup.closed',
  'signup.invite_required',
  'signup.approval_required',
  'unavailable.overloaded',
]

type RegistrationContext = AppApi & {
  readonly fids: FidStock
  readonly registrations: Registrations | undefined
}

/** How new users of apps get an account. */
export const registrationRoutes = (context: RegistrationContext): Route[] =>
  bind(context, [freshFid, registerUser, registerByCall])

const freshFid = route('GET /v2/farcaster/user/fid', {
  callers: 'app',
  summary: 'Reserve a fid for a new user',
  description:
    'For ten minutes. The user signs its Transfer to their address (`IdRegistry` of /v1/domains of the accounts interface), ' +
    'which POST /user takes. The header x-wallet-id is not read.',
  tags: TAGS,
  limit: 'write',
  reply: Type.Object({ fid: Type.Integer() }),
  errors: ERRORS,
  cost: { cpu: 'small', signatures: 2, writes: 3 },
  handler: async ({ fids }: RegistrationContext, { request }) =>
    jsonAnswer(
      { fid: await fids.reserve(appOf(request)) },
      { headers: { 'cache-control': 'no-store' } },
    ),
})

const UserFields = Type.Object({
  fid: FidNumber,
  requested_user_custody_address: Address,
  deadline: Deadline,
  signature: Signature,
  signer: Type.Optional(
    Type.Object({
      uuid: SignerUuid,
      app_fid: FidNumber,
      deadline: Deadline,
      signed_key_request_metadata_signature: Signature,
    }),
  ),
})

/** Fields of the deployed API that are refused, so that nobody believes that they were written. */
const NewUser = Type.Object({
  ...UserFields.properties,
  fname: Type.Optional(Type.Unknown()),
  metadata: Type.Optional(Type.Unknown()),
})

const registerUser = route('POST /v2/farcaster/user', {
  callers: 'app',
  summary: 'Give a reserved fid to a new user',
  description:
    'The signature is over Transfer, by the address that receives the fid. With `signer` the user is asked to approve it: ' +
    'the answer has the address of the page.',
  tags: TAGS,
  body: json(NewUser, { documented: UserFields }),
  reply: Type.Object({
    success: Type.Literal(true),
    message: Type.String(),
    signer: Type.Optional(SignerReply),
    signers: Type.Array(SignerReply),
    user: Type.Optional(User),
  }),
  errors: ERRORS,
  cost: { cpu: 'small', signatures: 1, recoveries: 3, writes: 3 },
  handler: async (context: RegistrationContext, { body, request }) => {
    const app = appOf(request)
    for (const field of ['fname', 'metadata'] as const) {
      if (body[field] !== undefined) throw invalidField(field, REFUSED[field])
    }
    const { fid, requested_user_custody_address: to, deadline, signature } = body
    const receipt = {
      fid,
      to: fromHex(to)!,
      deadline: BigInt(deadline),
      signature: fromHex(signature)!,
    }
    const result = await inFieldsOf(RECEIPT_FIELDS, () => context.fids.give(app, receipt))
    const signer = body.signer && (await registerSigner(context, app, body.signer))
    const user = await newUser(context, app, result)
    return jsonAnswer({
      ...{ success: true, message: messageOf(result) },
      ...(signer && { signer }),
      ...{ signers: signer ? [signer] : [], ...user },
    })
  },
})

const REFUSED = {
  fname: 'is not taken here: the new user registers a name with a signature, at the name registry',
  metadata: 'is not taken here: write the profile with PATCH /user once the signer is approved',
}
const RECEIPT_FIELDS = {
  fid: 'fid',
  to: 'requested_user_custody_address',
  toDeadline: 'deadline',
  toSignature: 'signature',
}

async function registerSigner(
  context: RegistrationContext,
  app: string,
  signer: NonNullable<Static<typeof NewUser>['signer']>,
) {
  const { uuid, app_fid, deadline, signed_key_request_metadata_signature: signature } = signer
  const signed = { requestFid: app_fid, deadline, signature }
  return signerJson(context, await context.signers.register(app, uuid, signed))
}

const Key = Type.Object({
  public_key: Type.String({ pattern: '^0[xX][0-9a-fA-F]{64}$' }),
  metadata: Type.String(hexText(MAX_METADATA_BYTES)),
  deadline: Deadline,
  signature: Signature,
  key_type: Type.Optional(Type.Integer({ minimum: 1, maximum: 255 })),
  metadata_type: Type.Optional(Type.Integer({ minimum: 1, maximum: 255 })),
})
const Registration = Type.Object({
  registration: Type.Object({
    custody_address: Address,
    recovery_address: Address,
    deadline: Deadline,
    signature: Signature,
  }),
  signers: Type.Optional(Type.Array(Key, { maxItems: MAX_KEYS })),
  idem: Type.Optional(
    Type.String({ description: 'Not read: the nonce of the signature counts once.' }),
  ),
  storage_units: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1, description: 'The server decides.' }),
  ),
  pre_registration_calls: Type.Optional(
    Type.Array(Type.Object({ target: Type.String() }), {
      maxItems: 0,
      description: 'There is no chain to call.',
    }),
  ),
})

const registerByCall = route('POST /v2/farcaster/user/register', {
  callers: 'app',
  summary: 'Register an account that its user has signed for',
  description:
    'The calls registerFor and register of the accounts interface: the address signs Register, and Add for each key. ' +
    'The server decides how much storage a new account has.',
  tags: TAGS,
  body: json(Registration),
  reply: Type.Object({
    message: Type.String(),
    transaction_hash: Type.String(),
    user: Type.Optional(User),
  }),
  errors: ERRORS,
  cost: { cpu: 'small', recoveries: 2 * MAX_KEYS, writes: 2 },
  handler: async (context: RegistrationContext, { body, request }) => {
    const { registration, signers = [] } = body
    const call = registerOf(registration)
    const { forUsers } = ledgerOf(context)
    const result = await inFieldsOf(fieldsOfCall(signers.length), () =>
      signers.length === 0
        ? forUsers.registerFor(call)
        : forUsers.register({ ...call, keys: signers.map(keyOf) }),
    )
    return {
      message: messageOf(result),
      transaction_hash: toHex(result.transactionHash),
      ...(await newUser(context, appOf(request), result)),
    }
  },
})

const registerOf = ({
  custody_address,
  recovery_address,
  deadline,
  signature,
}: Static<typeof Registration>['registration']) => ({
  to: fromHex(custody_address)!,
  recovery: fromHex(recovery_address)!,
  deadline: BigInt(deadline),
  signature: fromHex(signature)!,
  extraStorage: 0,
  invite: undefined,
})

const keyOf = (key: Static<typeof Key>) => ({
  keyType: key.key_type ?? 1,
  key: fromHex(key.public_key)!,
  metadataType: key.metadata_type ?? 1,
  metadata: fromHex(key.metadata)!,
  deadline: BigInt(key.deadline),
  signature: fromHex(key.signature)!,
})

const KEY_FIELDS = { key: 'public_key', keyType: 'key_type', metadataType: 'metadata_type' }

/** The fields of the accounts interface as this one calls them. */
const fieldsOfCall = (keys: number): Record<string, string> => ({
  to: 'registration.custody_address',
  recovery: 'registration.recovery_address',
  deadline: 'registration.deadline',
  signature: 'registration.signature',
  ...Object.fromEntries(
    Array.from({ length: keys }, (_, i) => i).flatMap((i) =>
      ['key', 'keyType', 'metadataType', 'metadata', 'deadline', 'signature'].map((name) => [
        `keys.${i}.${name}`,
        `signers[${i}].${KEY_FIELDS[name as keyof typeof KEY_FIELDS] ?? name}`,
      ]),
    ),
  ),
})

const messageOf = ({ fid, confirmed }: CallResult): string =>
  confirmed ? `fid ${fid} is registered` : `fid ${fid} will be registered once it is confirmed`

/** The new user, once the account is confirmed. */
async function newUser(context: RegistrationContext, app: string, { fid, confirmed }: CallResult) {
  if (!confirmed) return {}
  const [user] = await usersOf(context, { app, viewer: undefined }, [fid])
  return user ? { user } : {}
}
