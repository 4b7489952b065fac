import { fromJson, type JsonValue } from '@bufbuild/protobuf'
import { fromBase64, fromHex, toBase64 } from '../protocol/codec/bytes.ts'
import { DEPLOYED_CHAIN_ID } from '../protocol/crypto/account-domains.ts'
import { Rejection } from '../protocol/rejection.ts'
import { ADDRESS_BYTES, BLOCK_HASH_BYTES, MAX_UINT32 } from '../protocol/sizes.ts'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventSchema,
  OnChainEventType,
  SignerEventType,
} from '../protocol/wire/onchain_event_pb.js'
import { decodeOnChainEvent } from './events.ts'
import { ED25519_KEY_TYPE } from './on-chain-events.ts'

// On-chain events of another network, imported by an operator. They are trusted to have happened, but they must
// be well-formed, because all reads rely on it.

/** The most events of one import call. */
export const MAX_IMPORT_EVENTS = 1_000
/** Leaves room for the ledger's own blocks, which are numbered on from the highest imported one. */
export const MAX_IMPORT_BLOCK = 4_000_000_000
const MAX_KEY_BYTES = 256
const MAX_METADATA_BYTES = 16_384

/** Refuses the whole list for one malformed event, naming its index and the field. */
export function checkImport(
  events: readonly OnChainEvent[],
  { chainId }: { chainId: number },
): void {
  if (events.length > MAX_IMPORT_EVENTS) {
    throw invalid('events', `at most ${MAX_IMPORT_EVENTS} events can be imported at once`)
  }
  for (const [i, event] of events.entries()) {
    checkEvent(event, chainId, (field, message) => invalid(`events.${i}.${field}`, message))
  }
}

type Complaint = (field: string, message: string) => Rejection

const BODY_OF: Readonly<Record<number, NonNullable<OnChainEvent['body']['case']>>> = {
  [OnChainEventType.EVENT_TYPE_SIGNER]: 'signerEventBody',
  [OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED]: 'signerMigratedEventBody',
  [OnChainEventType.EVENT_TYPE_ID_REGISTER]: 'idRegisterEventBody',
  [OnChainEventType.EVENT_TYPE_STORAGE_RENT]: 'storageRentEventBody',
  [OnChainEventType.EVENT_TYPE_TIER_PURCHASE]: 'tierPurchaseEventBody',
  [OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER]: 'channelRegisterEventBody',
}

/** Event types without a fid. */
const WITHOUT_FID = [
  OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED,
  OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER,
]
/** Event types of the tier registry, which has its own chain. */
const ELSEWHERE = [OnChainEventType.EVENT_TYPE_TIER_PURCHASE]

function checkEvent(event: OnChainEvent, chainId: number, complain: Complaint): void {
  const body = BODY_OF[event.type]
  if (!body) throw complain('type', `${event.type} is not a known type`)
  if (event.body.case !== body) throw complain(body, 'is missing: it is what the type says')
  // A ledger with its own chain id may start with the accounts of the deployed network.
  const isKnown = [chainId, DEPLOYED_CHAIN_ID].includes(event.chainId)
  if (!isKnown && !ELSEWHERE.includes(event.type)) {
    const known = `${chainId} (this network's) or ${DEPLOYED_CHAIN_ID} (the deployed contracts')`
    throw complain('chainId', `is ${event.chainId}, but must be ${known}`)
  }
  checkLength(event.blockHash, BLOCK_HASH_BYTES, complain, 'blockHash')
  checkLength(event.transactionHash, BLOCK_HASH_BYTES, complain, 'transactionHash')
  if (event.blockNumber > MAX_IMPORT_BLOCK) {
    throw complain('blockNumber', `must be at most ${MAX_IMPORT_BLOCK}`)
  }
  if (event.blockTimestamp < 1n || event.blockTimestamp > BigInt(MAX_UINT32)) {
    throw complain('blockTimestamp', 'must be in Unix seconds')
  }
  const least = WITHOUT_FID.includes(event.type) ? 0 : 1
  const most = least === 0 ? 0 : MAX_UINT32
  if (event.fid < BigInt(least) || event.fid > BigInt(most)) {
    throw complain('fid', most === 0 ? 'must be 0' : `must be 1 to ${most}`)
  }
  checkBody(event, complain)
}

function checkBody({ body }: OnChainEvent, complain: Complaint): void {
  const within: Complaint = (field, message) => complain(`${body.case}.${field}`, message)
  if (body.case === 'signerEventBody') {
    const { eventType, key, keyType, metadata } = body.value
    checkEnum(eventType, SignerEventType, within)
    const signs = eventType === SignerEventType.ADD && keyType === ED25519_KEY_TYPE
    if (signs) checkLength(key, 32, within, 'key')
    if (key.length === 0 || key.length > MAX_KEY_BYTES) {
      throw within('key', `must be 1 to ${MAX_KEY_BYTES} bytes`)
    }
    if (metadata.length > MAX_METADATA_BYTES) {
      throw within('metadata', `must be at most ${MAX_METADATA_BYTES} bytes`)
    }
  }
  if (body.case === 'idRegisterEventBody') {
    const { eventType, to, from, recoveryAddress } = body.value
    checkEnum(eventType, IdRegisterEventType, within)
    const movesFid = eventType !== IdRegisterEventType.CHANGE_RECOVERY
    checkAddress(to, within, 'to', { optional: !movesFid })
    checkAddress(from, within, 'from', { optional: true })
    checkAddress(recoveryAddress, within, 'recoveryAddress', { optional: movesFid })
  }
  if (body.case === 'storageRentEventBody' || body.case === 'tierPurchaseEventBody') {
    checkAddress(body.value.payer, within, 'payer')
  }
  if (body.case === 'channelRegisterEventBody') {
    checkAddress(body.value.ownerAddress, within, 'ownerAddress')
  }
}

function checkEnum(value: number, names: object, complain: Complaint): void {
  if (value === 0 || !(value in names)) throw complain('eventType', `${value} is not a known type`)
}

function checkAddress(
  bytes: Uint8Array,
  complain: Complaint,
  field: string,
  { optional = false } = {},
): void {
  if (!(optional && bytes.length === 0)) checkLength(bytes, ADDRESS_BYTES, complain, field)
}

function checkLength(bytes: Uint8Array, length: number, complain: Complaint, field: string): void {
  if (bytes.length !== length) throw complain(field, `must be ${length} bytes`)
}

/** An event as Rookery, Hubble or Snapchain serves it in JSON, or its encoded bytes in 0x hex or base64. */
export function readOnChainEvent(value: unknown, field: string): OnChainEvent {
  try {
    if (typeof value === 'string') return decodeOnChainEvent(bytesOf(value))
    return fromJson(OnChainEventSchema, withBase64(value) as JsonValue)
  } catch (error) {
    throw invalid(field, `is not an on-chain event: ${(error as Error).message}`)
  }
}

function bytesOf(text: string): Uint8Array {
  const bytes = text.startsWith('0x') ? fromHex(text) : fromBase64(text)
  if (!bytes) throw new Error('neither hex nor base64')
  return bytes
}

/** What Snapchain writes of the names of this enum. */
const SHORT_NAMES: Readonly<Record<string, IdRegisterEventType>> = {
  Register: IdRegisterEventType.REGISTER,
  Transfer: IdRegisterEventType.TRANSFER,
  ChangeRecovery: IdRegisterEventType.CHANGE_RECOVERY,
}

/** The fields that hubs write in hex; Hubble has the payer in base64, as protobuf's own JSON, which the rest is. */
const HEX_FIELDS = new Set(['blockHash', 'transactionHash'])
const HEX_FIELDS_OF: Readonly<Record<string, ReadonlySet<string>>> = {
  signerEventBody: new Set(['key']),
  idRegisterEventBody: new Set(['to', 'from', 'recoveryAddress']),
  storageRentEventBody: new Set(['payer']),
  tierPurchaseEventBody: new Set(['payer']),
  channelRegisterEventBody: new Set(['ownerAddress']),
}

function withBase64(event: unknown): unknown {
  if (!isObject(event)) return event
  // Snapchain writes a body that an event does not have as null, which protobuf would take for a second one.
  const present = Object.entries(event).filter(([, value]) => value !== null)
  const json = convert(Object.fromEntries(present), HEX_FIELDS)
  for (const [name, fields] of Object.entries(HEX_FIELDS_OF)) {
    const body = json[name]
    if (isObject(body)) json[name] = convert(body, fields)
  }
  const { idRegisterEventBody: moved } = json
  if (isObject(moved)) moved.eventType = SHORT_NAMES[String(moved.eventType)] ?? moved.eventType
  return json
}

function convert(object: Record<string, unknown>, fields: ReadonlySet<string>) {
  const converted: Record<string, unknown> = { ...object }
  for (const field of fields) {
    const text = converted[field]
    if (typeof text !== 'string') continue
    const bytes = fromHex(text) ?? (field === 'payer' ? fromBase64(text) : undefined)
    if (!bytes) throw new Error(`${field} is not hex`)
    converted[field] = toBase64(bytes)
  }
  return converted
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const invalid = (field: string, message: string) =>
  new Rejection('bad_request.invalid_param', `${field}: ${message}`, { field })
