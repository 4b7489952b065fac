import Type from 'typebox'
import { tellSent } from '../../kernel/deliveries/sent.ts'
import { described, fidParam, hexParam, optional } from '../../kernel/http/input/params.ts'
import {
  bind,
  json,
  jsonAnswer,
  type RequestInfo,
  type Route,
  route,
} from '../../kernel/http/route.ts'
import { WALLET_SCHEME } from '../../kernel/platform/wallet-links.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { RejectionCode } from '../../kernel/protocol/rejection.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { readProfiles } from '../../kernel/storage/reads/profiles.ts'
import type { Channel, ChannelTerms, SignInChannels } from './channels.ts'
import { writeMessage } from './message.ts'
import { identityOf } from './people.ts'
import {
  ChannelDetails,
  ChannelStatus,
  NewChannel,
  NewSignature,
  OpenedChannel,
} from './schemas.ts'
import { methodOf } from './signer.ts'

export type RelayContext = ChannelTerms & {
  readonly channels: SignInChannels
  /** The public URL of the client platform, without a slash at its end. */
  readonly publicUrl: () => string
}

export const TAGS = [
  {
    name: 'Sign in',
    description:
      'How a user signs in to an app: the relay of Sign In With Farcaster, and Quick Auth.',
  },
]

const SIGN_IN_REFUSALS: readonly RejectionCode[] = [
  'unauthorized',
  'bad_request.conflict',
  'bad_request.validation_failure',
  'InvalidSignature',
  'unavailable.network_failure',
]
const BEARER = /^bearer +(\S{1,128}) *$/i

/** The routes of the relay. */
export const relayRoutes = (context: RelayContext): Route[] =>
  bind(
    context,
    [openChannel, channelStatus, authenticate, channelDetails, decline].map((declared) => ({
      ...declared,
      checkToken: ({ channels }: RelayContext, request: RequestInfo) =>
        channels.get(tokenOf(request)),
    })),
  )

const openChannel = route('POST /v1/channel', {
  callers: 'anyone',
  summary: 'Open a channel for a sign-in',
  description:
    'The app shows `url` to its user and asks for the status until the user has signed. A channel lasts for an ' +
    'hour. Of one client (an IPv4 address or an IPv6 /64) the newest 1,000 are kept.',
  tags: TAGS,
  body: json(NewChannel),
  reply: OpenedChannel,
  status: 201,
  errors: ['bad_request.validation_failure'],
  cost: 'write',
  handler: async ({ channels, publicUrl }: RelayContext, { body, request: { ip, headers } }) => {
    const { siweUri, domain, nonce, notBefore, expirationTime, requestId, redirectUrl } = body
    const { acceptAuthAddress } = body
    const asked = { siweUri, domain, nonce, notBefore, expirationTime, requestId, redirectUrl }
    const asking = { ip, userAgent: headers['user-agent'], origin: headers.origin }
    const { token, channel } = await channels.open({ ...asked, acceptAuthAddress }, asking)
    const url = pageUrl(publicUrl(), token)
    return { channelToken: token, url, connectUri: url, nonce: channel.request.nonce }
  },
})

const pageUrl = (base: string, token: string) => `${base}/~/sign-in?channelToken=${token}`

const channelStatus = route('GET /v1/channel/status', {
  callers: 'user',
  summary: 'Whether the user has signed, for the app',
  description:
    '202 while the user has not signed. 200 with the message, its signature and the profile once: then the ' +
    'channel is closed. The header is `Authorization: Bearer <channelToken>`; a token that is expired, declined or ' +
    'taken is answered with 401. Verify the message yourself, with your nonce and domain.',
  tags: TAGS,
  reply: ChannelStatus,
  otherReplies: { 202: ChannelStatus },
  errors: ['unauthenticated.declined'],
  cost: { cpu: 'small' },
  handler: async (context: RelayContext, { request }) => {
    const token = tokenOf(request)
    const channel = await context.channels.take(token)
    if (channel.state === 'pending') {
      return jsonAnswer(askedJson(context, channel, token), { status: 202 })
    }
    const { fid, request: asked, token_hash } = channel
    tellSent(() => ({
      by: context.storage,
      id: toHex(token_hash),
      what: { kind: 'sign-in', url: asked.siweUri, domain: asked.domain, fid: fid! },
    }))
    return completedJson(context, channel, token)
  },
})

const authenticate = route('POST /v1/channel/authenticate', {
  callers: 'user',
  summary: 'Complete a channel with the signature of a user, for wallets',
  description:
    'The message has to be what the app has asked for, signed by the custody address of the fid, or by one of its ' +
    'auth addresses if the app accepts them. No key of the relay is needed, and the profile that the app is told ' +
    'is that of the network.',
  tags: TAGS,
  body: json(NewSignature),
  reply: ChannelStatus,
  status: 201,
  errors: SIGN_IN_REFUSALS,
  cost: 'write',
  handler: async (context: RelayContext, { body, request }) => {
    const token = tokenOf(request)
    const channel = await context.channels.complete(token, body)
    const completed = await completedJson(context, channel, token)
    return { ...completed, connectUri: completed.url }
  },
})

const channelDetails = route('GET /v1/channel/request', {
  callers: 'user',
  summary: 'What an app asks, for the page that approves',
  description:
    'With the `address` of a wallet also its account, and the message to sign. An auth address names its `fid`. The ' +
    'channel stays as it is.',
  tags: TAGS,
  query: {
    address: optional(described(hexParam({ bytes: 20, label: 'address' }), 'Who would sign.')),
    fid: optional(described(fidParam, 'The account of an auth address.')),
  },
  reply: ChannelDetails,
  errors: ['unauthenticated.declined'],
  cost: { cpu: 'small' },
  handler: async (context: RelayContext, { query, request }) => {
    const token = tokenOf(request)
    const channel = await context.channels.get(token)
    const now = context.clock.now()
    return {
      ...askedJson(context, channel, token),
      now: Math.floor(now / 1000),
      expiresAt: Math.floor(channel.expires_at / 1000),
      deeplinkUrl: `${WALLET_SCHEME}://connect?channelToken=${token}`,
      ...(query.address && (await userOf(context, channel, query.address, query.fid))),
    }
  },
})

const decline = route('POST /v1/channel/decline', {
  callers: 'user',
  summary: 'Decline a sign-in',
  description:
    'Closes the channel: nobody can complete it then, and the app gets 401 with the code `unauthenticated.declined`.',
  tags: TAGS,
  reply: Type.Object({ state: Type.Literal('declined') }),
  errors: ['bad_request.conflict', 'unauthenticated.declined'],
  cost: 'write',
  handler: async ({ channels }: RelayContext, { request }) => {
    await channels.decline(tokenOf(request))
    return { state: 'declined' as const }
  },
})

function tokenOf({ headers }: RequestInfo): string {
  const token = BEARER.exec(headers.authorization ?? '')?.[1]
  if (token !== undefined) return token
  throw new Rejection('unauthenticated', 'send Authorization: Bearer <channelToken>')
}

/** The store does not have the token, so the address of the page is made from that of the caller. */
const askedJson = (
  { publicUrl }: Pick<RelayContext, 'publicUrl'>,
  { state, request, ip, user_agent, origin }: Channel,
  token: string,
) => ({
  state,
  nonce: request.nonce,
  url: pageUrl(publicUrl(), token),
  signatureParams: request,
  metadata: { ip, userAgent: user_agent, ...(origin !== null && { origin }) },
  acceptAuthAddress: request.acceptAuthAddress ?? true,
})

async function completedJson(context: RelayContext, channel: Channel, token: string) {
  const { message, signature, auth_method, fid } = channel
  return {
    ...askedJson(context, channel, token),
    ...{ message: message!, signature: signature!, authMethod: auth_method! },
    ...(await identityOf(context, fid!)),
  }
}

/** The account for which an address may sign, and what it would sign. */
async function userOf(
  { accounts, storage, clock }: RelayContext,
  { request }: Channel,
  address: Uint8Array,
  given: number | undefined,
) {
  const fid = given ?? (await accounts.fidOf(address))
  const method = fid === undefined ? undefined : await methodOf(accounts, fid, address)
  if (fid === undefined || method === undefined) return {}
  if (method === 'authAddress' && request.acceptAuthAddress === false) return {}
  const entries = ['username', 'displayName', 'picture'] as const
  const [profile] = await readProfiles(storage.published.messages, [fid], entries)
  const { picture, ...names } = profile!
  return {
    user: { fid, ...names, ...(picture && { pictureUrl: picture }) },
    message: writeMessage(request, { address, fid, now: clock.now() }),
  }
}
