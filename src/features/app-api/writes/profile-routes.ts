import Type, { type Static } from 'typebox'
import { getAddress } from 'viem/utils'
import { appOf } from '../../../kernel/app-api/app-route.ts'
import { invalidField, SignerUuid, SUCCESS, SuccessReply } from '../../../kernel/app-api/bodies.ts'
import { readAddress } from '../../../kernel/app-api/params.ts'
import { inFieldsOf, withFields } from '../../../kernel/app-api/refusals.ts'
import { bind, json, type Route, route } from '../../../kernel/http/route.ts'
import {
  userDataAdd,
  verificationAddEth,
  verificationRemove,
} from '../../../kernel/protocol/build.ts'
import { fromHex, toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { Protocol, UserDataType } from '../../../kernel/protocol/wire/message_pb.js'
import {
  answerWrite,
  MESSAGE_COST,
  MESSAGE_ERRORS,
  storedOf,
  type WritesContext,
} from './context.ts'
import type { Build } from './publisher.ts'

const USERS = [{ name: 'Users', description: 'Accounts and their profiles.' }]

/** The hub bounds each value in bytes. */
const Value = (description?: string) =>
  Type.Optional(Type.String({ maxLength: 1_024, ...(description && { description }) }))

const ProfileBody = Type.Object({
  signer_uuid: SignerUuid,
  username: Value('A name of the account.'),
  display_name: Value(),
  bio: Value(),
  pfp_url: Value(),
  url: Value(),
  banner: Value('For accounts with a pro subscription.'),
  location: Type.Optional(
    Type.Object({
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
    }),
  ),
  verified_accounts: Type.Optional(
    Type.Object({ x: Type.Optional(Type.String()), github: Type.Optional(Type.String()) }),
  ),
  primary_eth_address: Value('A verified address, or nothing.'),
  primary_sol_address: Value('A verified address, or nothing.'),
})
type ProfileBody = Static<typeof ProfileBody>

const Partly = Type.Object({
  success: Type.Literal(false),
  errors: Type.Array(Type.Object({ message: Type.String() })),
})

/** Each field with the entry of a profile that holds it. An empty value clears it. */
function entriesOf(body: ProfileBody): { field: string; type: UserDataType; value: string }[] {
  const { location, verified_accounts: accounts = {}, primary_eth_address: eth } = body
  const values = [
    ['username', UserDataType.USER_DATA_TYPE_USERNAME, body.username],
    ['display_name', UserDataType.USER_DATA_TYPE_DISPLAY, body.display_name],
    ['bio', UserDataType.USER_DATA_TYPE_BIO, body.bio],
    ['pfp_url', UserDataType.USER_DATA_TYPE_PFP, body.pfp_url],
    ['url', UserDataType.USER_DATA_TYPE_URL, body.url],
    ['banner', UserDataType.USER_DATA_TYPE_BANNER, body.banner],
    ['location', UserDataType.USER_DATA_TYPE_LOCATION, location && locationText(location)],
    ['verified_accounts.x', UserDataType.USER_DATA_TYPE_TWITTER, accounts.x],
    ['verified_accounts.github', UserDataType.USER_DATA_TYPE_GITHUB, accounts.github],
    [
      'primary_eth_address',
      UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
      eth && checksummed(eth),
    ],
    [
      'primary_sol_address',
      UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
      body.primary_sol_address,
    ],
  ] as const
  return values.flatMap(([field, type, value]) =>
    value === undefined ? [] : [{ field, type, value }],
  )
}

/** The form of the protocol has two decimals, which is about a kilometre. */
const locationText = ({ latitude, longitude }: { latitude: number; longitude: number }) =>
  `geo:${decimals(latitude)},${decimals(longitude)}`

/** Without the minus of a zero. */
const decimals = (degrees: number): string => (Math.round(degrees * 100) / 100 + 0).toFixed(2)

/** Profiles hold addresses with their checksum. What is no address is refused by the hub. */
function checksummed(text: string): string {
  const address = fromHex(text)
  return address?.length === 20 ? getAddress(toHex(address) as `0x${string}`) : text
}

export const profileRoutes = (context: WritesContext): Route[] =>
  bind(context, [changeProfile, verifyAddress, removeAddress])

const changeProfile = route('PATCH /v2/farcaster/user', {
  callers: 'app',
  summary: 'Change the profile',
  description:
    'Each field is a message of its own. When some are refused the answer has the status 207; when all ' +
    'are, it is the first refusal.',
  tags: USERS,
  body: json(ProfileBody),
  reply: SuccessReply,
  errors: MESSAGE_ERRORS,
  otherReplies: { 207: Partly },
  cost: { cpu: 'small', signatures: 22, writes: 11 },
  handler: async (context: WritesContext, { body, request }) => {
    const key = await context.signers.writingKey(appOf(request), body.signer_uuid)
    const entries = entriesOf(body)
    if (entries.length === 0) {
      const text = 'the body has no field of a profile'
      throw new Rejection('bad_request.validation_failure', text)
    }
    const outcomes = await context.publisher.publishAll(
      key,
      entries.map(
        ({ type, value }) =>
          (origin) =>
            userDataAdd(origin, type, value),
      ),
    )
    const stored = storedOf(outcomes)
    const refused = outcomes.flatMap((one, i) => {
      const { field } = entries[i]!
      if (!(one instanceof Rejection)) return []
      return [withFields(one, { 'userDataBody.value': field, 'userDataBody.type': field })]
    })
    if (stored.length === 0) throw refused[0]!
    if (refused.length === 0) return answerWrite(context, stored, SUCCESS)
    const errors = refused.map(({ message }) => ({ message }))
    return answerWrite(context, stored, { success: false, errors }, { status: 207 })
  },
})

const HexText = (description: string) =>
  Type.String({ pattern: '^0[xX](?:[0-9a-fA-F]{2})*$', maxLength: 4_098, description })

const VerificationBody = Type.Object({
  signer_uuid: SignerUuid,
  address: Type.String({ pattern: '^0[xX][0-9a-fA-F]{40}$', description: 'An Ethereum address.' }),
  block_hash: HexText('32 bytes.'),
  eth_signature: HexText('By the address, over the claim.'),
  chain_id: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  verification_type: Type.Optional(Type.Integer({ minimum: 0, maximum: 1 })),
})
const RemovalBody = Type.Object({
  signer_uuid: SignerUuid,
  address: Type.String({
    pattern: '^(?:0[xX][0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$',
    description: 'An address of Ethereum or Solana.',
  }),
})

const BODY = 'verificationAddAddressBody'
const CLAIM_FIELDS = {
  [`${BODY}.address`]: 'address',
  [`${BODY}.blockHash`]: 'block_hash',
  [`${BODY}.claimSignature`]: 'eth_signature',
  [`${BODY}.chainId`]: 'chain_id',
  [`${BODY}.verificationType`]: 'verification_type',
}

const verification = {
  tags: USERS,
  reply: SuccessReply,
  errors: MESSAGE_ERRORS,
  cost: { ...MESSAGE_COST, recoveries: 1 },
} as const

const verifyAddress = route('POST /v2/farcaster/user/verification', {
  callers: 'app',
  ...verification,
  summary: 'Verify an Ethereum address',
  description: 'The signature is of the address over the claim of the protocol.',
  body: json(VerificationBody),
  handler: (context: WritesContext, { body, request }) => {
    const address = fromHex(body.address)
    if (address?.length !== 20) throw invalidField('address', 'must be 0x and 40 hex digits')
    return publishClaim(context, appOf(request), body.signer_uuid, (origin) =>
      verificationAddEth(origin, {
        address,
        blockHash: fromHex(body.block_hash)!,
        claimSignature: fromHex(body.eth_signature)!,
        verificationType: body.verification_type ?? 0,
        chainId: body.chain_id ?? 0,
      }),
    )
  },
})

const removeAddress = route('DELETE /v2/farcaster/user/verification', {
  callers: 'app',
  ...verification,
  summary: 'Give a verified address up',
  description: 'No proof is needed for it.',
  body: json(RemovalBody),
  handler: (context: WritesContext, { body, request }) => {
    const address = readAddress(body.address)
    if (!address) throw invalidField('address', 'must be an address of Ethereum or Solana')
    const protocol = address.length === 20 ? Protocol.ETHEREUM : Protocol.SOLANA
    return publishClaim(context, appOf(request), body.signer_uuid, (origin) =>
      verificationRemove(origin, address, protocol),
    )
  },
})

async function publishClaim(context: WritesContext, app: string, uuid: string, build: Build) {
  const key = await context.signers.writingKey(app, uuid)
  const published = await inFieldsOf(CLAIM_FIELDS, () => context.publisher.publish(key, build))
  return answerWrite(context, [published], SUCCESS)
}
