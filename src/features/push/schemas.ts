import Type, { type Static } from 'typebox'
import { PUSH_KINDS } from './tables/pushes.ts'

// What calls about devices take and answer.

export const Kinds = Type.Array(Type.Enum([...PUSH_KINDS]), {
  minItems: 1,
  maxItems: PUSH_KINDS.length,
  description: 'What the device is told of.',
})

export const DeviceJson = Type.Object(
  {
    object: Type.Literal('push_device'),
    id: Type.String({ description: 'SHA-256 of the endpoint in base64url.' }),
    name: Type.String(),
    kinds: Kinds,
    created_at: Type.String(),
    pushed_at: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'PushDevice' },
)

export const OwnDevicesReply = Type.Object({
  public_key: Type.String({ description: 'P-256, 65 bytes in base64url.' }),
  devices: Type.Array(DeviceJson),
})

export type DeviceReply = Static<typeof DeviceJson>
export type OwnDevices = Static<typeof OwnDevicesReply>

export type PushKindName = DeviceReply['kinds'][number]
