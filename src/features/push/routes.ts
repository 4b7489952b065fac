import { createHash, ECDH } from 'node:crypto'
import Type, { type Static } from 'typebox'

import { invalidField, SUCCESS, SuccessReply } from '../../kernel/app-api/bodies.ts'
import type { StoreContext } from '../../kernel/app-api/context.ts'
import { unixTimeOf } from '../../kernel/app-api/objects/hydrate.ts'
import type { ActorsPort } from '../../kernel/app-api/ports.ts'
import { checkUrl, MAX_URL_CHARACTERS } from '../../kernel/http/outgoing.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { Rejection, type RejectionCode } from '../../kernel/protocol/rejection.ts'
import { kindsIn, kindsText } from './push-notice.ts'
import { DeviceJson, type DeviceReply, Kinds, OwnDevicesReply } from './schemas.ts'
import { ENDPOINT_FIELD } from './send-push.ts'
import { getPushKey } from './server-key.ts'
import { MAX_DEVICES_PER_FID, type PushDevice, pushRows } from './tables/pushes.ts'

// The devices on which an account wants to be told of what is new.

const PUSH = [
  { name: 'Push', description: 'Devices that are told of notifications by Web Push (RFC 8030).' },
]
const MAX_NAME_CHARACTERS = 60
const PUBLIC_KEY_BYTES = 65
const SECRET_BYTES = 16
const PATH = '/push/own'

const DeviceBody = Type.Object({
  endpoint: Type.String({
    minLength: 1,
    maxLength: MAX_URL_CHARACTERS,
    description: 'An https URL, as the PushSubscription of the browser has it.',
  }),
  p256dh: Type.String({ maxLength: 100, description: 'Its public key in base64url, 65 bytes.' }),
  auth: Type.String({ maxLength: 40, description: 'Its secret in base64url, 16 bytes.' }),
  kinds: Kinds,
  name: Type.Optional(
    Type.String({
      maxLength: MAX_NAME_CHARACTERS,
      description: 'By which its owner tells it from others.',
    }),
  ),
})

const errors: readonly RejectionCode[] = [
  'unauthorized.suspended',
  'bad_request.validation_failure',
  'bad_request.conflict',
]

type PushContext = Pick<StoreContext, 'storage' | 'nowMs'> & {
  readonly platform: ActorsPort
  /** Whether push services may be on this machine, over http. */
  readonly allowLoopback: boolean
}

export const pushRoutes = (context: PushContext): Route[] =>
  bind(context, [ownDevices, putDevice, removeDevice])

const ownDevices = route(`GET /v2/farcaster${PATH}`, {
  callers: 'user of an app',
  summary: 'The devices of the user that are told of notifications',
  description:
    'The user is that of the bearer token. `public_key` is what the browser needs to subscribe (VAPID).',
  tags: PUSH,
  reply: OwnDevicesReply,
  errors,
  cost: { cpu: 'small', rows: MAX_DEVICES_PER_FID },
  handler: async ({ storage, platform, nowMs }: PushContext, { request }) => {
    const { fid } = await platform.actorOf(request)
    const [key, devices] = await Promise.all([
      getPushKey(storage, nowMs()),
      storage.of(pushRows).devicesOf(fid),
    ])
    return {
      public_key: Buffer.from(key.public_key).toString('base64url'),
      devices: devices.map(deviceJson),
    }
  },
})

const putDevice = route(`POST /v2/farcaster${PATH}`, {
  callers: 'user of an app',
  summary: 'Tell a device of notifications',
  description:
    'For the user of the bearer token, until the key that signed the token is removed. The same endpoint again changes ' +
    'the kinds, or hands the device over to another user. The push service answers 404 or 410 to end it. An account ' +
    `has at most ${MAX_DEVICES_PER_FID} devices, and gets at most 60 pushes of each kind an hour.`,
  tags: PUSH,
  body: json(DeviceBody),
  reply: DeviceJson,
  errors,
  cost: { cpu: 'small', writes: 2 },
  handler: async (context: PushContext, { body, request }) => {
    const { storage, platform, nowMs } = context
    const { fid, key } = await platform.actorOf(request)
    const subscription = readSubscription(body, context.allowLoopback)
    const device: PushDevice = {
      ...{ ...subscription, fid, signer: key, kinds: kindsText(body.kinds) },
      ...{ name: body.name ?? '', failures: 0, pushed_at: null },
      created_at: Math.floor(nowMs() / 1_000),
    }
    return storage.write(`fid/${fid}`, async (tx) => {
      const [before] = await tx.of(pushRows).devices([device.id])
      if (before && before.fid !== fid) await tx.of(pushRows).removeDevices([device.id])
      const kept = before?.fid === fid ? before : undefined
      const { created_at, pushed_at } = kept ?? device
      await tx.of(pushRows).putDevices([{ ...device, created_at, pushed_at }])
      if ((await tx.of(pushRows).devicesOf(fid)).length > MAX_DEVICES_PER_FID) {
        const text = `${MAX_DEVICES_PER_FID} devices are told already: remove one of them first`
        throw new Rejection('bad_request.conflict', text)
      }
      return deviceJson({ ...device, created_at, pushed_at })
    })
  },
})

const removeDevice = route(`DELETE /v2/farcaster${PATH}`, {
  callers: 'user of an app',
  summary: 'Tell a device nothing any more',
  description: 'A device of the user of the bearer token. Doing it once more changes nothing.',
  tags: PUSH,
  body: json(Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })),
  reply: SuccessReply,
  errors,
  cost: { cpu: 'small', writes: 1 },
  handler: async ({ storage, platform }: PushContext, { body, request }) => {
    const { fid } = await platform.actorOf(request)
    await storage.write(`fid/${fid}`, async (tx) => {
      const [device] = await tx.of(pushRows).devices([body.id])
      if (device?.fid === fid) await tx.of(pushRows).removeDevices([device.id])
    })
    return SUCCESS
  },
})

/** The checked fields of a subscription. */
function readSubscription(
  { endpoint, p256dh, auth }: Static<typeof DeviceBody>,
  allowLoopback: boolean,
) {
  if (!URL.canParse(endpoint)) throw invalidField(ENDPOINT_FIELD, 'must be a URL')
  const url = new URL(endpoint)
  checkUrl(url, { allowLoopback, field: ENDPOINT_FIELD })
  return {
    id: createHash('sha256').update(url.href).digest('base64url'),
    endpoint: url.href,
    public_key: readPublicKey(p256dh),
    secret: readBytes(auth, SECRET_BYTES, 'auth'),
  }
}

function readPublicKey(text: string): Uint8Array {
  const bytes = readBytes(text, PUBLIC_KEY_BYTES, 'p256dh')
  try {
    ECDH.convertKey(bytes, 'prime256v1')
    return bytes
  } catch {
    throw invalidField('p256dh', 'must be a point of P-256')
  }
}

function readBytes(text: string, length: number, field: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64url')
  const isExact = /^[\w-]*={0,2}$/.test(text) && bytes.length === length
  if (isExact) return bytes
  throw invalidField(field, `must be ${length} bytes in base64url`)
}

const deviceJson = (device: PushDevice): DeviceReply => ({
  object: 'push_device',
  id: device.id,
  name: device.name,
  kinds: kindsIn(device.kinds),
  created_at: unixTimeOf(device.created_at),
  pushed_at: device.pushed_at === null ? null : unixTimeOf(device.pushed_at),
})
