import { fromBinary } from '@bufbuild/protobuf'
import { decodeSignedKeyRequestMetadata } from '../../kernel/protocol/crypto/key-request-metadata.ts'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventSchema,
  SignerEventType,
} from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { StoredChainEvent } from '../../kernel/storage/tables/accounts.ts'
import { commonColumns, type ExportedMessage } from './message-rows.ts'
import { hexText, type Item, type Row } from './tables.ts'

/** The app that asked for a key; null when nothing says so. */
function appOfMetadata(metadata: Uint8Array): number | null {
  const request = metadata.length > 0 ? decodeSignedKeyRequestMetadata(metadata) : undefined
  return request ? Number(request.requestFid) : null
}

/** The row of a message that adds a key. */
export function keyItem(message: ExportedMessage): Item | undefined {
  const { body } = message.data
  if (body.case !== 'keyAddBody') return undefined
  const common = commonColumns(message)
  const key = {
    key: hexText(body.value.key),
    state: 'active',
    app_fid: appOfMetadata(body.value.metadata),
    added_at: common.timestamp,
    removed_at: null,
    is_gasless: true,
  }
  return { table: 'keys', row: { ...common, ...key } }
}

/**
 * Rows of one fid: itself, its keys by transactions and its storage. Events may be in any order; `eventId` is null
 * unless one event of the feed is the reason of the rows.
 */
export function accountItems(events: readonly StoredChainEvent[], eventId: number | null): Item[] {
  const decoded = events
    .toSorted((a, b) => a.block_number - b.block_number || a.log_index - b.log_index)
    .map(({ body }) => fromBinary(OnChainEventSchema, body))
  const keys = new Map<string, Row>()
  const items: Item[] = []
  let fid: Row | undefined
  for (const event of decoded) {
    const common = commonOf(event, eventId)
    const { body } = event
    if (body.case === 'idRegisterEventBody') fid = fidRow(fid, common, body.value)
    else if (body.case === 'signerEventBody') putKey(keys, common, body.value)
    else if (body.case === 'storageRentEventBody') {
      const { units } = body.value
      const row = { ...common, log_index: event.logIndex, units, rented_at: common.timestamp }
      items.push({ table: 'storage', row })
    }
  }
  if (fid) items.unshift({ table: 'fids', row: fid })
  for (const row of keys.values()) items.push({ table: 'keys', row })
  return items
}

type Common = ReturnType<typeof commonOf>

const commonOf = (event: OnChainEvent, eventId: number | null) => ({
  fid: Number(event.fid),
  hash: hexText(event.transactionHash),
  timestamp: Number(event.blockTimestamp),
  event_id: eventId,
})

type IdRegister = Extract<OnChainEvent['body'], { case: 'idRegisterEventBody' }>['value']
type SignerChange = Extract<OnChainEvent['body'], { case: 'signerEventBody' }>['value']

function fidRow(known: Row | undefined, common: Common, body: IdRegister): Row {
  const row = known ?? { ...common, custody: null, recovery: null }
  const recovery = hexText(body.recoveryAddress)
  switch (body.eventType) {
    case IdRegisterEventType.REGISTER:
      return { ...row, ...common, custody: hexText(body.to), recovery }
    case IdRegisterEventType.TRANSFER:
      return { ...row, custody: hexText(body.to) }
    default:
      return { ...row, recovery }
  }
}

function putKey(keys: Map<string, Row>, common: Common, change: SignerChange): void {
  const key = hexText(change.key)!
  const isAdd = change.eventType === SignerEventType.ADD
  const before = keys.get(key)
  keys.set(key, {
    ...common,
    key,
    state: isAdd ? 'active' : 'removed',
    app_fid: isAdd ? appOfMetadata(change.metadata) : (before?.app_fid ?? null),
    added_at: isAdd ? common.timestamp : (before?.added_at ?? null),
    removed_at: isAdd ? null : common.timestamp,
    is_gasless: false,
  })
}
