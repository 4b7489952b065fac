import Type from 'typebox'
import { appOf } from '../../../kernel/app-api/app-route.ts'
import { FidNumber, invalidField, SuccessReply } from '../../../kernel/app-api/bodies.ts'
import { boundedParam, choiceParam } from '../../../kernel/app-api/params.ts'
import { inFieldsOf } from '../../../kernel/app-api/refusals.ts'
import { MAX_DOMAIN_CHARACTERS } from '../../../kernel/base/web-domain.ts'
import { described, fidParam } from '../../../kernel/http/input/params.ts'
import { json, route } from '../../../kernel/http/route.ts'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { publicKeyOf, signEd25519 } from '../../../kernel/protocol/crypto/ed25519.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { appSignerRows } from '../../signers/port.ts'
import { miniAppUserRows } from '../tables/mini-app-users.ts'
import type { MiniAppContext } from './context.ts'
import { MINI_APP_TAGS } from './frames.ts'
import { HostEventReply, HostStateReply } from './schemas.ts'

// Clients that run mini apps themselves. What a user does is signed in two steps, as on the client platform.

const EVENTS = [
  'frame_added',
  'frame_removed',
  'notifications_enabled',
  'notifications_disabled',
] as const
/** Events have new names in what is signed. */
const NAMES = {
  frame_added: 'miniapp_added',
  frame_removed: 'miniapp_removed',
  notifications_enabled: 'notifications_enabled',
  notifications_disabled: 'notifications_disabled',
} as const
const FIELDS = { domain: 'app_domain', header: 'signed_message', signature: 'signed_message' }
const MAX_ADDED = 200
const PART = Type.String({ minLength: 1, maxLength: 4_096 })

export const hostEvent = route('GET /v2/farcaster/app_host/user/event', {
  callers: 'app',
  summary: 'The event that a user has to sign for a mini app',
  description:
    'The answer as JSON text in base64url is the payload; a key of the user signs `header.payload` within ten minutes, and POST ' +
    'stores it. The event is written with its new name, `miniapp_added` or `miniapp_removed`. Whether it changes something is ' +
    'answered once the user has signed it.',
  tags: MINI_APP_TAGS,
  query: {
    app_domain: boundedParam(MAX_DOMAIN_CHARACTERS, 'The domain of the app.'),
    fid: described(fidParam, 'The user.'),
    event: choiceParam(EVENTS, 'What the user does.'),
  },
  reply: HostEventReply,
  errors: ['bad_request.validation_failure', 'bad_request.conflict', 'not_found', 'not_supported'],
  cost: { cpu: 'medium', writes: 1 },
  handler: async ({ miniApps }: MiniAppContext, { query: { appDomain, fid, event } }) => {
    const { payload } = await inFieldsOf(FIELDS, () =>
      miniApps.prepare(fid, { domain: appDomain, event: NAMES[event] }, { byUser: false }),
    )
    return JSON.parse(Buffer.from(payload, 'base64url').toString())
  },
})

const PostBody = Type.Object({
  app_domain: Type.String({ minLength: 1, maxLength: MAX_DOMAIN_CHARACTERS }),
  signed_message: Type.Optional(Type.Object({ header: PART, payload: PART, signature: PART })),
  signer_uuid: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  fid: Type.Optional(FidNumber),
  event: Type.Optional(Type.Enum([...EVENTS])),
})

export const postHostEvent = route('POST /v2/farcaster/app_host/user/event', {
  callers: 'app',
  summary: 'Tell a mini app what a user does',
  description:
    'Either `signed_message`, an event of GET that the user has signed, or `signer_uuid` with `fid` and `event`: a signer of ' +
    'this app that the user has approved. It is sent to the webhook of the app.',
  tags: MINI_APP_TAGS,
  body: json(PostBody),
  reply: SuccessReply,
  errors: [
    'bad_request.validation_failure',
    'bad_request.conflict',
    'unauthorized',
    'unauthorized.suspended',
    'unreadable_secret',
    'not_found',
    'not_supported',
    'rate_limited',
  ],
  cost: { cpu: 'medium', signatures: 1, writes: 2 },
  handler: async (context: MiniAppContext, { body, request }) => {
    const { app_domain: domain, signed_message: signed, signer_uuid: uuid, event } = body
    if (uuid !== undefined) {
      if (event === undefined) throw invalidField('event', 'is missing')
      await bySigner(context, appOf(request), { uuid, fid: body.fid, domain, event })
    } else if (signed) {
      await inFieldsOf(FIELDS, () => context.miniApps.completeSigned(domain, signed))
    } else throw invalidField('signed_message', 'or signer_uuid is missing')
    return { success: true }
  },
})

/** Prepares and signs an event with a signer that the server keeps. */
async function bySigner(
  { signers, platform, miniApps }: MiniAppContext,
  app: string,
  given: {
    readonly uuid: string
    readonly fid: number | undefined
    readonly domain: string
    readonly event: (typeof EVENTS)[number]
  },
): Promise<void> {
  const { fid, seed } = await signers.writingKey(app, given.uuid)
  if (given.fid !== undefined && given.fid !== fid) {
    throw invalidField('fid', `is not that of the signer, ${fid}`)
  }
  await platform.checkMayAct(fid)
  await inFieldsOf(FIELDS, async () => {
    const wanted = { domain: given.domain, event: NAMES[given.event] }
    const { id, payload } = await miniApps.prepare(fid, wanted)
    const head = { fid, type: 'app_key', key: toHex(publicKeyOf(seed)) }
    const header = Buffer.from(JSON.stringify(head)).toString('base64url')
    const bytes = signEd25519(Buffer.from(`${header}.${payload}`), seed)
    const signature = Buffer.from(bytes).toString('base64url')
    await miniApps.complete(fid, { id, header, signature })
  })
}

export const hostState = route('GET /v2/farcaster/app_host/user/state', {
  callers: 'app',
  summary: 'Which mini apps may notify a user',
  description:
    'For apps that have a signer of the user: others shall not learn which mini apps somebody has added.',
  tags: MINI_APP_TAGS,
  query: { fid: described(fidParam, 'The user.') },
  reply: HostStateReply,
  errors: ['unauthorized'],
  cost: 'lookup',
  handler: async ({ storage }: MiniAppContext, { query: { fid }, request }) => {
    const signers = await storage.of(appSignerRows).ofFid(appOf(request), fid, 1)
    if (signers[0]?.status !== 'approved') {
      throw new Rejection('unauthorized', `this app has no approved signer of fid ${fid}`)
    }
    const added = await storage.of(miniAppUserRows).listAdded(fid, MAX_ADDED)
    return {
      notifications_enabled: added
        .filter(({ state, notifies }) => state !== 'removed' && notifies === 1)
        .map(({ domain, changed_at }) => ({
          domain,
          status: 'enabled' as const,
          updated_at: new Date(changed_at * 1_000).toISOString(),
        })),
    }
  },
})
