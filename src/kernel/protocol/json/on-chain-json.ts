import { WIRE_BYTES, WIRE_VARINT } from '../codec/wire-scan.ts'
import { jsonByLayout, jsonLayout } from '../kinds/json-layout.ts'
import type { JsonObject } from '../kinds/kind.ts'
import { HubEventSchema, HubEventType, MergeOnChainEventBodySchema } from '../wire/hub_event_pb.js'
import {
  ChannelRegisterBodySchema,
  IdRegisterEventBodySchema,
  type OnChainEvent,
  OnChainEventSchema,
  SignerEventBodySchema,
  SignerMigratedEventBodySchema,
  StorageRentEventBodySchema,
  TierPurchaseBodySchema,
} from '../wire/onchain_event_pb.js'
import type { JsonBytes, SourceBytes } from './json-bytes.ts'
import { FoundFields, WireJson } from './wire-json.ts'

const LAYOUT = jsonLayout(
  OnChainEventSchema,
  [
    'type',
    'chainId',
    'blockNumber',
    'blockHash',
    'blockTimestamp',
    'transactionHash',
    'logIndex',
    'fid',
    'signerEventBody',
    'signerMigratedEventBody',
    'idRegisterEventBody',
    'storageRentEventBody',
    'tierPurchaseEventBody',
    'channelRegisterEventBody',
    'txIndex',
    'version',
  ],
  {
    blockHash: 'hex',
    transactionHash: 'hex',
    signerEventBody: jsonLayout(
      SignerEventBodySchema,
      ['key', 'keyType', 'eventType', 'metadata', 'metadataType'],
      { key: 'hex', metadata: 'base64' },
    ),
    signerMigratedEventBody: jsonLayout(SignerMigratedEventBodySchema, ['migratedAt']),
    idRegisterEventBody: jsonLayout(
      IdRegisterEventBodySchema,
      ['to', 'eventType', 'from', 'recoveryAddress'],
      { to: 'hex', from: 'hex', recoveryAddress: 'hex' },
    ),
    storageRentEventBody: jsonLayout(StorageRentEventBodySchema, ['payer', 'units', 'expiry'], {
      payer: 'hex',
    }),
    tierPurchaseEventBody: jsonLayout(TierPurchaseBodySchema, ['tierType', 'forDays', 'payer'], {
      payer: 'hex',
    }),
    channelRegisterEventBody: jsonLayout(
      ChannelRegisterBodySchema,
      ['channelKey', 'expiry', 'ownerAddress', 'eventType', 'label'],
      { ownerAddress: 'hex', label: 'base64' },
    ),
  },
)

/** An on-chain event; all times are Unix seconds. */
export const onChainEventJson = (event: OnChainEvent): JsonObject => jsonByLayout(LAYOUT, event)

/** Numbers of the fields of HubEvent that are read. */
const FIELDS = {
  type: HubEventSchema.field.type.number,
  body: HubEventSchema.field.mergeOnChainEventBody.number,
}

/** Writes the `mergeOnChainEventBody` of encoded hub events without decoding them. */
export class MergedOnChainEvents {
  readonly #found: FoundFields
  readonly #body = new WireJson(
    jsonLayout(MergeOnChainEventBodySchema, ['onChainEvent'], { onChainEvent: LAYOUT }),
  )

  constructor() {
    const wireTypes = new Int8Array(FIELDS.body + 1).fill(-1)
    wireTypes[FIELDS.type] = WIRE_VARINT
    wireTypes[FIELDS.body] = WIRE_BYTES
    this.#found = new FoundFields({ wireTypes, isList: new Uint8Array(wireTypes.length) })
  }

  /** Returns false for other types of events and for unusual encodings. Then the caller discards what was written and decodes the event. */
  write(out: JsonBytes, source: SourceBytes, from: number, to: number): boolean {
    const { starts, ends, integers } = this.#found
    if (!this.#found.find(source.bytes, from, to)) return false
    if (starts[FIELDS.type] === -1 || starts[FIELDS.body] === -1) return false
    if (integers[FIELDS.type] !== HubEventType.MERGE_ON_CHAIN_EVENT) return false
    return this.#body.write(out, source, starts[FIELDS.body]!, ends[FIELDS.body]!)
  }
}
