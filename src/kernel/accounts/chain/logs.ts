import { create } from '@bufbuild/protobuf'
import { decodeAbiParameters, parseAbiParameters, toEventSelector } from 'viem/utils'
import { fromHex } from '../../protocol/codec/bytes.ts'
import { ADDRESS_BYTES, MAX_UINT32 } from '../../protocol/sizes.ts'
import { type OnChainEvent, OnChainEventSchema } from '../../protocol/wire/onchain_event_pb.js'
import {
  type AccountEvent,
  fidRegistered,
  fidTransferred,
  keyAdded,
  keyRemoved,
  keyReset,
  keysMigrated,
  recoveryChanged,
  storageRented,
  tierPurchased,
} from '../events.ts'
import { ED25519_KEY_TYPE } from '../on-chain-events.ts'
import type { Log } from './answers.ts'

// Decodes the logs of the contracts into on-chain events. A log that cannot be decoded (a fid above 32 bits,
// another shape) never becomes valid, so the caller skips and counts it.

export type FollowedContract = 'idRegistry' | 'keyRegistry' | 'storageRegistry' | 'tierRegistry'

/** The log differs from what its contract writes. */
export class UnreadableLogError extends Error {}

type Hex = `0x${string}`
/** `blockTime` in Unix seconds. */
type Read = (log: Log, blockTime: number) => AccountEvent

const MAX_UINT64 = 2n ** 64n - 1n
const MAX_TIER = 2n ** 31n - 1n
const ED25519_KEY_BYTES = 32
const MAX_KEY_BYTES = 256

const ADDRESS = parseAbiParameters('address')
const NUMBER = parseAbiParameters('uint256')
const ADDED_KEY = parseAbiParameters('bytes, uint8, bytes')
const KEY = parseAbiParameters('bytes')

/**
 * The events by their signatures. `Recover` is not among them, because a `Transfer` with the same data follows
 * it. Hashed parameters (the indexed key) are repeated in the data.
 */
const READERS: Readonly<Record<FollowedContract, Readonly<Record<string, Read>>>> = {
  idRegistry: {
    'Register(address,uint256,address)': (log) => {
      const [recovery] = dataOf(log, ADDRESS)
      return fidRegistered(fidAt(log, 2, 3), addressAt(log, 1), bytesOf(recovery))
    },
    'Transfer(address,address,uint256)': (log) =>
      fidTransferred(fidAt(log, 3, 4), addressAt(log, 1), addressAt(log, 2)),
    'ChangeRecoveryAddress(uint256,address)': (log) =>
      recoveryChanged(fidAt(log, 1, 3), addressAt(log, 2)),
  },
  keyRegistry: {
    'Add(uint256,uint32,bytes,bytes,uint8,bytes)': (log) => {
      const [key, metadataType, metadata] = dataOf(log, ADDED_KEY)
      const keyType = uint32(BigInt(log.topics[2] ?? 0), 'key type')
      const added = { key: keyOf(key, keyType), keyType, metadataType, metadata: bytesOf(metadata) }
      return keyAdded(fidAt(log, 1, 4), added)
    },
    'Remove(uint256,bytes,bytes)': (log) => {
      const [key] = dataOf(log, KEY)
      return keyRemoved(fidAt(log, 1, 3), keyOf(key))
    },
    'AdminReset(uint256,bytes,bytes)': (log) => {
      const [key] = dataOf(log, KEY)
      return keyReset(fidAt(log, 1, 3), keyOf(key))
    },
    'Migrated(uint256)': (log) => keysMigrated(numberAt(log, 1, 2, 'time')),
  },
  storageRegistry: {
    'Rent(address,uint256,uint256)': (log, rentedAt) => {
      const [units] = dataOf(log, NUMBER)
      const rent = { payer: addressAt(log, 1), units: uint32(units, 'units'), rentedAt }
      return storageRented(fidAt(log, 2, 3), rent)
    },
  },
  tierRegistry: {
    'PurchasedTier(uint256,uint256,uint256,address)': (log) => {
      const [forDays] = dataOf(log, NUMBER)
      const tierType = Number(within(BigInt(log.topics[2] ?? 0), MAX_TIER, 'tier'))
      const days = within(forDays, MAX_UINT64, 'days')
      return tierPurchased(fidAt(log, 1, 4), { tierType, forDays: days, payer: addressAt(log, 3) })
    },
  },
}

const byTopic = (readers: Readonly<Record<string, Read>>): ReadonlyMap<string, Read> =>
  new Map(Object.entries(readers).map(([event, read]) => [toEventSelector(event), read]))

const READER_BY_TOPIC: Readonly<Record<FollowedContract, ReadonlyMap<string, Read>>> = {
  idRegistry: byTopic(READERS.idRegistry),
  keyRegistry: byTopic(READERS.keyRegistry),
  storageRegistry: byTopic(READERS.storageRegistry),
  tierRegistry: byTopic(READERS.tierRegistry),
}

/** First topics of the events of these contracts. */
export const topicsOf = (contracts: readonly FollowedContract[]): Hex[] =>
  contracts.flatMap((contract) => [...READER_BY_TOPIC[contract].keys()] as Hex[])

/**
 * The on-chain event of a log; undefined when it is another kind of event. Throws an UnreadableLogError when it
 * cannot be decoded.
 */
export function readLog(
  contract: FollowedContract,
  log: Log,
  { chainId, blockTime }: { chainId: number; blockTime: number },
): OnChainEvent | undefined {
  const read = READER_BY_TOPIC[contract].get(log.topics[0] ?? '')
  if (!read) return undefined
  const { type, fid, body } = read(log, blockTime)
  return create(OnChainEventSchema, {
    type,
    chainId,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    blockTimestamp: BigInt(blockTime),
    transactionHash: log.transactionHash,
    logIndex: log.logIndex,
    txIndex: log.transactionIndex,
    fid: BigInt(fid),
    body,
  })
}

function dataOf<const P extends readonly { type: string }[]>({ data }: Log, parameters: P) {
  try {
    return decodeAbiParameters(parameters, data)
  } catch {
    throw new UnreadableLogError('its data are not what the event has')
  }
}

/** The fid in one topic of an event with a number of topics. */
function fidAt(log: Log, index: number, count: number): number {
  const fid = numberAt(log, index, count, 'fid')
  if (fid === 0) throw new UnreadableLogError('fid is 0')
  return fid
}

function numberAt({ topics }: Log, index: number, count: number, what: string): number {
  if (topics.length !== count) {
    throw new UnreadableLogError(`it has ${topics.length} topics and not ${count}`)
  }
  return uint32(BigInt(topics[index]!), what)
}

function addressAt({ topics }: Log, index: number): Uint8Array {
  return bytesOf(topics[index] ?? '0x').slice(-ADDRESS_BYTES)
}

const uint32 = (value: bigint, what: string): number =>
  Number(within(value, BigInt(MAX_UINT32), what))

function within(value: bigint, max: bigint, what: string): bigint {
  if (value > max) throw new UnreadableLogError(`${what} ${value} is above ${max}`)
  return value
}

/** Keys that sign messages have one length; lengths of other key types are not checked. */
function keyOf(hex: string, keyType?: number): Uint8Array {
  const key = bytesOf(hex)
  const fits = keyType === ED25519_KEY_TYPE ? key.length === ED25519_KEY_BYTES : key.length > 0
  if (!fits || key.length > MAX_KEY_BYTES) {
    throw new UnreadableLogError(`a key of ${key.length} bytes and type ${keyType ?? 'unknown'}`)
  }
  return key
}

function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex)
  if (!bytes) throw new UnreadableLogError('it has something else than bytes')
  return bytes
}
