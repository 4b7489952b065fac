import { toHex } from '../codec/bytes.ts'
import { hex, integer, list, object, text } from '../json/json-schema.ts'
import { KEY_BYTES } from '../sizes.ts'
import { DAY_SECONDS } from '../time.ts'
import {
  type KeyAddBody,
  type KeyRemoveBody,
  KeyRemoveBodySchema,
  MessageType,
  MessageTypeSchema,
} from '../wire/message_pb.js'
import { jsonLayout, namesOf, writtenBy } from './json-layout.ts'
import { slotKeyOf } from './keys.ts'
import {
  type DataInit,
  dataOf,
  MAX_DATA_BYTES,
  type MessageKind,
  type MessageSet,
  type Origin,
} from './kind.ts'
import { invalid } from './rules.ts'

/**
 * Gasless keys: keys that a message adds, not a transaction. A key belongs to one fid at a time, so its slot is one for the
 * whole network. A KEY_REMOVE deletes the KEY_ADD and is not kept itself. They need no storage units.
 */
export const gaslessKeySet: MessageSet = {
  key: 'gaslessKeys',
  number: 9,
  name: 'GASLESS_KEYS',
  messagesPerUnit: undefined,
  announceOrder: 7,
  dependsOnOthers: false,
}

/** Gasless keys that a fid may have at a time. */
export const MAX_GASLESS_KEYS = 1_000
/** The longest that a key may be unused, in seconds. */
export const MAX_KEY_TTL_SECONDS = 90 * DAY_SECONDS
/** KEY_REMOVE is signed by the custody address, or by the key itself. */
export const KEY_REMOVAL = { custody: 1, self: 2 } as const

const ED25519_KEY_TYPE = 1
const SIGNED_KEY_REQUEST = 1
const MAX_SCOPES = 16
/** Types that a gasless key may be added for. It never adds or removes keys. */
export const GASLESS_SCOPES: ReadonlySet<number> = new Set([
  MessageType.CAST_ADD,
  MessageType.CAST_REMOVE,
  MessageType.REACTION_ADD,
  MessageType.REACTION_REMOVE,
  MessageType.LINK_ADD,
  MessageType.LINK_REMOVE,
  MessageType.VERIFICATION_ADD_ETH_ADDRESS,
  MessageType.VERIFICATION_REMOVE,
  MessageType.USER_DATA_ADD,
  MessageType.USERNAME_PROOF,
  MessageType.FRAME_ACTION,
  MessageType.LINK_COMPACT_STATE,
  MessageType.LEND_STORAGE,
])

const typeName = namesOf(MessageTypeSchema)

const slotKey = ({ key }: { readonly key: Uint8Array }) => key

export const keyAddKind: MessageKind<'keyAddBody'> = {
  type: MessageType.KEY_ADD,
  body: 'keyAddBody',
  set: gaslessKeySet,
  isRemove: false,
  isSlotShared: true,
  views: undefined,
  maxDataBytes: MAX_DATA_BYTES,
  // Of the custody address and of the app, whose request may be signed in two domains on a ledger with its own chain id.
  recoveries: 3,
  check: checkKeyAdd,
  slotKey,
  targetFids: () => [],
  json: (body) => ({
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
  }),
  schema: object(
    {
      key: hex('32 bytes', KEY_BYTES),
      keyType: integer({ description: 'Always 1: Ed25519' }),
      custodySignature: hex('65 bytes'),
      deadline: integer(),
      nonce: integer(),
      metadata: hex('The signed key request of the app, ABI encoded'),
      metadataType: integer({ description: 'Always 1: a signed key request' }),
      registrationTxHash: hex('Not read'),
      scopes: list(text({ examples: ['MESSAGE_TYPE_CAST_ADD'] })),
      ttl: integer({ description: 'Seconds without use after which the key expires' }),
    },
    { id: 'KeyAddBody' },
  ),
}

export const keyRemoveKind: MessageKind<'keyRemoveBody'> = {
  type: MessageType.KEY_REMOVE,
  body: 'keyRemoveBody',
  set: gaslessKeySet,
  isRemove: true,
  isSlotShared: true,
  views: undefined,
  maxDataBytes: MAX_DATA_BYTES,
  recoveries: 1,
  check: checkKeyRemove,
  slotKey,
  targetFids: () => [],
  ...writtenBy(
    jsonLayout(KeyRemoveBodySchema, ['key', 'signature', 'signatureType', 'deadline', 'nonce'], {
      key: 'hex',
      signature: 'hex',
    }),
  ),
  schema: object(
    {
      key: hex('32 bytes', KEY_BYTES),
      signature: hex('By the custody address; empty when the key itself signs'),
      signatureType: integer({ description: '1: by the custody address; 2: by the key itself' }),
      deadline: integer(),
      nonce: integer(),
    },
    { id: 'KeyRemoveBody' },
  ),
}

/** Data of a KEY_ADD; `body` is what `keyAddTypedData` of eip712.ts was signed for, and the signatures. */
export const keyAdd = (origin: Origin, body: KeyAddInit): DataInit =>
  dataOf(origin, keyAddKind, {
    ...body,
    keyType: ED25519_KEY_TYPE,
    metadataType: SIGNED_KEY_REQUEST,
    scopes: [...body.scopes],
  })

/** Data of a KEY_REMOVE. */
export const keyRemove = (origin: Origin, body: KeyRemoveInit): DataInit =>
  dataOf(origin, keyRemoveKind, body)

export type KeyAddInit = Readonly<
  Pick<KeyAddBody, 'key' | 'custodySignature' | 'deadline' | 'nonce' | 'metadata' | 'ttl'>
> & { readonly scopes: readonly MessageType[] }
export type KeyRemoveInit = Readonly<
  Pick<KeyRemoveBody, 'key' | 'signature' | 'signatureType' | 'deadline' | 'nonce'>
>

/** The slot of a gasless key, whoever has it. */
export const gaslessKeySlot = (key: Uint8Array): Uint8Array => slotKeyOf(gaslessKeySet, 0, key)

/** The key that a message of the set is about, from its slot. */
export const keyOfSlot = (slot: Uint8Array): Uint8Array => slot.subarray(-KEY_BYTES)

function checkKeyAdd(body: KeyAddBody): void {
  checkKey(body.key, 'keyAddBody.key')
  if (body.keyType !== ED25519_KEY_TYPE) throw invalid('invalid key type', 'keyAddBody.keyType')
  checkDeadline(body.deadline, 'keyAddBody.deadline')
  if (body.ttl === 0 || body.ttl > MAX_KEY_TTL_SECONDS) {
    throw invalid(`ttl must be > 0 and <= ${MAX_KEY_TTL_SECONDS} seconds`, 'keyAddBody.ttl')
  }
  if (body.metadataType !== SIGNED_KEY_REQUEST) {
    throw invalid('invalid metadata type', 'keyAddBody.metadataType')
  }
  if (body.metadata.length === 0) throw invalid('metadata is missing', 'keyAddBody.metadata')
  checkScopes(body.scopes)
}

function checkScopes(scopes: readonly number[]): void {
  if (scopes.length === 0) throw invalid('scopes must be non-empty', 'keyAddBody.scopes')
  if (scopes.length > MAX_SCOPES) {
    throw invalid(`scopes list exceeds max of ${MAX_SCOPES} entries`, 'keyAddBody.scopes')
  }
  for (const [i, scope] of scopes.entries()) {
    if (GASLESS_SCOPES.has(scope)) continue
    throw invalid(`scope "${scope}" is not a valid MessageType`, `keyAddBody.scopes[${i}]`)
  }
}

function checkKeyRemove(body: KeyRemoveBody): void {
  checkKey(body.key, 'keyRemoveBody.key')
  const isKnown = Object.values<number>(KEY_REMOVAL).includes(body.signatureType)
  if (!isKnown) throw invalid('invalid signature type', 'keyRemoveBody.signatureType')
  checkDeadline(body.deadline, 'keyRemoveBody.deadline')
}

function checkKey(key: Uint8Array, field: string): void {
  if (key.length !== KEY_BYTES) {
    throw invalid(`key must be ${KEY_BYTES} bytes`, field)
  }
}

/** The deadline is signed, and compared with no clock. */
function checkDeadline(deadline: number, field: string): void {
  if (deadline === 0) throw invalid('deadline is missing', field)
}
