import { u32be } from '../codec/bytes.ts'
import { integer, object, text } from '../json/json-schema.ts'
import {
  type LendStorageBody,
  LendStorageBodySchema,
  MessageType,
  StorageUnitType,
} from '../wire/message_pb.js'
import { jsonLayout, writtenBy } from './json-layout.ts'
import {
  type DataInit,
  dataOf,
  MAX_DATA_BYTES,
  type MessageKind,
  type MessageSet,
  type Origin,
} from './kind.ts'
import { checkFid, invalid } from './rules.ts'

/** Storage units that fids lend to others. Borrowed units do not count for it: they cannot be lent. */
export const storageLendSet: MessageSet = {
  key: 'storageLends',
  number: 7,
  name: 'STORAGE_LENDS',
  messagesPerUnit: { legacy: 1, u2024: 1, u2025: 1 },
  announceOrder: 8,
  dependsOnOthers: false,
}

/** Units of one message. */
export const MAX_LENT_UNITS = 5_000
/** A revoked lend is not stored, so that an older one could be sent again; see also storage-lends.ts. */
export const LEND_MAX_AGE_SECONDS = 600

/** Lends units to a fid, in place of those lent to it before; 0 units end that. */
export const lendStorageKind: MessageKind<'lendStorageBody'> = {
  type: MessageType.LEND_STORAGE,
  body: 'lendStorageBody',
  set: storageLendSet,
  isRemove: false,
  views: undefined,
  maxDataBytes: MAX_DATA_BYTES,
  maxAgeSeconds: LEND_MAX_AGE_SECONDS,
  check: checkLend,
  slotKey: ({ toFid }) => u32be(Number(toFid)),
  targetFids: ({ toFid }) => [Number(toFid)],
  ...writtenBy(jsonLayout(LendStorageBodySchema, ['toFid', 'numUnits', 'unitType'])),
  schema: object(
    {
      toFid: integer(),
      numUnits: integer({ description: `Up to ${MAX_LENT_UNITS}; 0 ends what was lent before` }),
      unitType: text({ examples: ['UNIT_TYPE_2025'] }),
    },
    { id: 'LendStorageBody' },
  ),
}

/** Data of a LEND_STORAGE. */
export const lendStorage = (
  origin: Origin,
  { toFid, units, unitType = StorageUnitType.UNIT_TYPE_2025 }: LendInit,
): DataInit =>
  dataOf(origin, lendStorageKind, { toFid: BigInt(toFid), numUnits: BigInt(units), unitType })

export type LendInit = {
  readonly toFid: number
  readonly units: number
  readonly unitType?: StorageUnitType
}

function checkLend({ toFid, numUnits, unitType }: LendStorageBody): void {
  checkFid(toFid, 'lendStorageBody.toFid')
  if (StorageUnitType[unitType] === undefined) {
    throw invalid('invalid storage unit type', 'lendStorageBody.unitType')
  }
  if (numUnits > BigInt(MAX_LENT_UNITS)) {
    throw invalid('num storage units too large', 'lendStorageBody.numUnits')
  }
}
