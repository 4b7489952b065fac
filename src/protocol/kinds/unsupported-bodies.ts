import { toHex } from '../codec/bytes.ts'
import {
  type KeyAddBody,
  type KeyRemoveBody,
  type LendStorageBody,
  MessageTypeSchema,
  StorageUnitTypeSchema,
} from '../wire/message_pb.js'
import { type JsonObject, namesOf } from './json-layout.ts'
import type { BodyCase } from './kind.ts'

// The bodies of message types that the deployed network has and this hub does not store. validateMessage shows them.

const typeName = namesOf(MessageTypeSchema)
const unitName = namesOf(StorageUnitTypeSchema)

const keyAddJson = (body: KeyAddBody): JsonObject => ({
  key: toHex(body.key),
  keyType: body.keyType,
  custodySignature: toHex(body.custodySignature),
  deadline: body.deadline,
  nonce: body.nonce,
  metadata: toHex(body.metadata),
  metadataType: body.metadataType,
  registrationTxHash: toHex(body.registrationTxHash),
  scopes: body.scopes.map(typeName),
  ttl: body.ttl,
})

const keyRemoveJson = (body: KeyRemoveBody): JsonObject => ({
  key: toHex(body.key),
  signature: toHex(body.signature),
  signatureType: body.signatureType,
  deadline: body.deadline,
  nonce: body.nonce,
})

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
    case 'keyAddBody':
      return keyAddJson(body.value as KeyAddBody)
    case 'keyRemoveBody':
      return keyRemoveJson(body.value as KeyRemoveBody)
    case 'lendStorageBody':
      return lendStorageJson(body.value as LendStorageBody)
    default:
      return undefined
  }
}
