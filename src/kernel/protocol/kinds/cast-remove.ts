import { base64, object } from '../json/json-schema.ts'
import { CastRemoveBodySchema, MessageType } from '../wire/message_pb.js'
import { castSet } from './cast-add.ts'
import { jsonLayout, writtenBy } from './json-layout.ts'
import { type DataInit, dataOf, MAX_DATA_BYTES, type MessageKind, type Origin } from './kind.ts'
import { checkHash } from './rules.ts'

/** Deletes a cast of the same author, whether it exists or not; it wins regardless of timestamps. */
export const castRemoveKind: MessageKind<'castRemoveBody'> = {
  type: MessageType.CAST_REMOVE,
  body: 'castRemoveBody',
  set: castSet,
  isRemove: true,
  views: undefined,
  maxDataBytes: MAX_DATA_BYTES,
  targetFids: () => [],
  check: ({ targetHash }) => checkHash(targetHash, 'castRemoveBody.targetHash'),
  slotKey: ({ targetHash }) => targetHash,
  ...writtenBy(jsonLayout(CastRemoveBodySchema, ['targetHash'], { targetHash: 'base64' })),
  schema: object(
    { targetHash: base64('the 20-byte hash of the removed cast') },
    { id: 'CastRemoveBody' },
  ),
}

/** Data of a CAST_REMOVE of the cast with this 20-byte hash. */
export function castRemove(origin: Origin, targetHash: Uint8Array): DataInit {
  return dataOf(origin, castRemoveKind, { targetHash })
}
