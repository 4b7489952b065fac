import { type LendStorageBody, StorageUnitTypeSchema } from '../wire/message_pb.js'
import { type JsonObject, namesOf } from './json-layout.ts'
import type { BodyCase } from './kind.ts'

// The bodies of message types that the deployed network has and this hub does not store. validateMessage shows them.

const unitName = namesOf(StorageUnitTypeSchema)

const lendStorageJson = (body: LendStorageBody): JsonObject => ({
  toFid: Number(body.toFid),
  numUnits: Number(body.numUnits),
  unitType: unitName(body.unitType),
})

/** The JSON of such a body; undefined for one that this hub does not know. */
export function unsupportedBodyJson(body: {
  case: BodyCase
  value: unknown
}): JsonObject | undefined {
  switch (body.case) {
    case 'lendStorageBody':
      return lendStorageJson(body.value as LendStorageBody)
    default:
      return undefined
  }
}
