import { KEY_BYTES } from '../../protocol/sizes.ts'
import { OnChainEventType } from '../../protocol/wire/onchain_event_pb.js'
import { listStatement, type Sql } from '../engines/sql.ts'
import { keyOfToken, numbersOfToken, numbersToken } from '../reads/list-key.ts'
import { type Page, type PageRequest, pageOf } from '../reads/page.ts'
import { KEPT } from './duties.ts'
import { countRows, rowCount } from './row-counts.ts'
import { query, queryEach, type RowOf, table } from './table.ts'

/** The custody and recovery address of each fid, as the newest confirmed events about them say. */
export const CUSTODIES = table('custody', {
  fid: { type: 'fid', erasure: KEPT.ownership, exported: true, key: true },
  /** 20 bytes. */
  address: { type: 'bytes', withheld: false },
  block_number: { type: 'integer' },
  log_index: { type: 'integer' },
  /** 20 bytes, all zero when there is none. */
  recovery: { type: 'bytes', withheld: false },
  /** -1 as long as no event about it is known. */
  recovery_block: { type: 'integer' },
  recovery_log: { type: 'integer' },
})
export type Custody = RowOf<typeof CUSTODIES>

/** The newest event about each key of a fid. */
export const SIGNERS = table('signer', {
  fid: { type: 'fid', erasure: KEPT.ownership, exported: true, key: true },
  key: { type: 'bytes', withheld: false, key: true },
  /** 1: the event added it, as an Ed25519 signing key. */
  active: { type: 'flag' },
  block_number: { type: 'integer' },
  log_index: { type: 'integer' },
})
export type SignerState = RowOf<typeof SIGNERS>
export type SignerOf = Pick<SignerState, 'fid' | 'key'>

export const STORAGE_RENTS = table('storage_rent', {
  fid: { type: 'fid', erasure: KEPT.ownership, exported: true, key: true },
  block_number: { type: 'integer', key: true },
  log_index: { type: 'integer', key: true },
  rented_at: { type: 'seconds' },
  units: { type: 'integer' },
  /** Unix seconds, as the event declares; 0: it follows from `rented_at`, as at the deployed hubs. */
  ends_at: { type: 'integer' },
})
export type Rent = RowOf<typeof STORAGE_RENTS>

/** On-chain events, encoded as OnChainEvent. */
export const CHAIN_EVENTS = table('chain_event', {
  fid: { type: 'fid', erasure: KEPT.ownership, exported: true, key: true },
  type: { type: 'integer', key: true },
  block_number: { type: 'integer', key: true },
  log_index: { type: 'integer', key: true },
  body: { type: 'bytes', withheld: false },
})
export type StoredChainEvent = RowOf<typeof CHAIN_EVENTS>
export type EventKey = Omit<StoredChainEvent, 'body'>

/** The state of a message's signer that a merge needs. */
export type SignerStatus = SignerOf & {
  readonly registered: boolean
  /** Whether a transaction has ever added the key. */
  readonly known: boolean
  readonly active: boolean
  readonly moderation: ModerationStatus
}

/** What moderation says about new messages of a fid. */
export type ModerationStatus = {
  readonly isSuspended: boolean
  readonly isBeingErased: boolean
  /** Network seconds: messages up to then were erased; 0: none. */
  readonly erasedBefore: number
}

/** The first key that begins with twelve zero bytes, and the first one after all of them. */
const ADDRESS_KEYS = [new Uint8Array(12), Uint8Array.of(...new Array(11).fill(0), 1)]
const AUTH_ADDRESS_EVENTS = listStatement(
  { fid: 'bigint', low: 'bytea', high: 'bytea' },
  `select s.fid, e.body from input i
     join signer s on s.fid = i.fid and s.active = 0 and s.key >= i.low and s.key < i.high
     join chain_event e on e.fid = s.fid and e.type = 1
      and e.block_number = s.block_number and e.log_index = s.log_index
    order by s.fid, s.key`,
)
/** A number above every fid. */
const ABOVE_ALL_FIDS = 2 ** 40

const SIGNER_STATUSES = listStatement(
  { fid: 'bigint', key: 'bytea' },
  `select i.fid, i.key, case when c.fid is null then 0 else 1 end as registered,
          case when s.fid is null then 0 else 1 end as known, coalesce(s.active, 0) as active, coalesce(a.suspended, 0) as suspended,
          coalesce(a.erasing, 0) as erasing, coalesce(a.erased_before, 0) as erased_before
     from input i left join custody c on c.fid = i.fid
                  left join signer s on s.fid = i.fid and s.key = i.key
                  left join account_moderation a on a.fid = i.fid`,
)
// The newest event about an active key is the one that added it.
const ADDING_EVENTS = listStatement(
  { fid: 'bigint', key: 'bytea' },
  `select s.fid, s.key, e.body from input i
     join signer s on s.fid = i.fid and s.key = i.key and s.active = 1
     join chain_event e on e.fid = s.fid and e.type = ${OnChainEventType.EVENT_TYPE_SIGNER}
      and e.block_number = s.block_number and e.log_index = s.log_index`,
)
const HAS_EVENTS = listStatement(
  { fid: 'bigint', type: 'bigint', block_number: 'bigint', log_index: 'bigint' },
  `select e.fid, e.type, e.block_number, e.log_index from input i join chain_event e
     on e.fid = i.fid and e.type = i.type
    and e.block_number = i.block_number and e.log_index = i.log_index`,
)

type FoundSigner = SignerOf & {
  registered: 0 | 1
  known: 0 | 1
  active: 0 | 1
  suspended: 0 | 1
  erasing: 0 | 1
  erased_before: number
}

const custodyReader = (sql: Sql) => ({
  custody: (fid: number) => CUSTODIES.find(sql, fid),
  custodies: (fids: readonly number[]) => CUSTODIES.findBy(sql, 'fid', distinct(fids)),
  /** The newest of the fids that an address holds. */
  byAddress: (address: Uint8Array) =>
    CUSTODIES.first(sql, 'where address = ? order by block_number desc, log_index desc limit 1', [
      address,
    ]),
  byAddresses: (addresses: readonly Uint8Array[]) => CUSTODIES.findBy(sql, 'address', addresses),
  newestFid: () => CUSTODIES.max(sql, 'fid'),
  count: () => rowCount(sql, 'custody'),
  async listFids({ size, token, reverse }: PageRequest): Promise<Page<number>> {
    const from = token ? numbersOfToken(token, 1)[0]! : reverse ? ABOVE_ALL_FIDS : 0
    const rows = await query<{ fid: number }>(
      sql,
      `select fid from custody where fid ${reverse ? '<' : '>'} ?
        order by fid ${reverse ? 'desc' : 'asc'} limit (? + 0)`,
      [from, size + 1],
    )
    return pageOf(
      rows.map(({ fid }) => fid),
      size,
      (fid) => numbersToken(fid),
    )
  },
  /** Registered fids above this one, ascending. */
  async fidsAfter(fid: number, limit: number): Promise<number[]> {
    const text = 'select fid from custody where fid > ? order by fid limit (? + 0)'
    return (await query<{ fid: number }>(sql, text, [fid, limit])).map((row) => row.fid)
  },
})

const signerReader = (sql: Sql) => ({
  signer: (fid: number, key: Uint8Array) => SIGNERS.find(sql, fid, key),
  signers: (signers: readonly SignerOf[]) => SIGNERS.findAll(sql, signers),
  activeSignerCount: (fid: number) => SIGNERS.count(sql, 'where fid = ? and active = 1', [fid]),
  /** The newest event about each key of these fids that is an address, as auth addresses are; of a fid in the order of keys. */
  authAddressEvents: (
    fids: readonly number[],
  ): Promise<(Pick<StoredChainEvent, 'body'> & { fid: number })[]> =>
    queryEach(
      sql,
      AUTH_ADDRESS_EVENTS,
      distinct(fids).map((fid) => ({ fid, low: ADDRESS_KEYS[0]!, high: ADDRESS_KEYS[1]! })),
    ),
  /** For each (fid, key): whether the fid is registered, the key is active and the account may send messages. */
  async signerStatuses(signers: readonly SignerOf[]): Promise<SignerStatus[]> {
    const rows: FoundSigner[] = await queryEach(sql, SIGNER_STATUSES, signers)
    return rows.map(({ fid, key, registered, known, active, ...row }) => ({
      fid,
      key,
      registered: registered === 1,
      known: known === 1,
      active: active === 1,
      moderation: {
        isSuspended: row.suspended === 1,
        isBeingErased: row.erasing === 1,
        erasedBefore: row.erased_before,
      },
    }))
  },
  /** The events that added the active keys, by key; the page token is the 32-byte key. */
  async listActiveSigners(
    fid: number,
    { size, token, reverse }: PageRequest,
  ): Promise<Page<StoredChainEvent>> {
    const compare = token ? `and s.key ${reverse ? '<' : '>'} ?` : ''
    const rows = await query<StoredChainEvent & { key: Uint8Array }>(
      sql,
      `select e.*, s.key from signer s join chain_event e on e.fid = s.fid and e.type = ${OnChainEventType.EVENT_TYPE_SIGNER}
          and e.block_number = s.block_number and e.log_index = s.log_index
        where s.fid = ? and s.active = 1 ${compare}
        order by s.key ${reverse ? 'desc' : 'asc'} limit (? + 0)`,
      [fid, ...(token ? [keyOfToken(token, KEY_BYTES)] : []), size + 1],
    )
    return pageOf(rows, size, (row) => row.key, bodyBytes)
  },
  /** The event that added each of these keys, where the key is active. */
  addingEvents: (
    signers: readonly SignerOf[],
  ): Promise<(SignerOf & Pick<StoredChainEvent, 'body'>)[]> =>
    queryEach(sql, ADDING_EVENTS, signers),
})

const chainEventReader = (sql: Sql) => ({
  rents: (fids: readonly number[]) => STORAGE_RENTS.findBy(sql, 'fid', distinct(fids)),
  /** The keys of those of these events that are stored. */
  hasEvents: (events: readonly EventKey[]): Promise<EventKey[]> =>
    queryEach(sql, HAS_EVENTS, events),
  event: ({ fid, type, block_number, log_index }: EventKey) =>
    CHAIN_EVENTS.find(sql, fid, type, block_number, log_index),
  /** All events of these types about these fids, in no order. */
  eventsOf: (fids: readonly { fid: number; type: number }[]) =>
    CHAIN_EVENTS.findMatching(sql, ['fid', 'type'], fids),
  /** A fid's events of one type by (block, log); the page token is those two numbers. */
  async listEvents(
    fid: number,
    type: number,
    { size, token, reverse }: PageRequest,
  ): Promise<Page<StoredChainEvent>> {
    const compare = token ? `and (block_number, log_index) ${reverse ? '<' : '>'} (?, ?)` : ''
    const direction = reverse ? 'desc' : 'asc'
    const rows = await CHAIN_EVENTS.select(
      sql,
      `where fid = ? and type = ? ${compare}
        order by block_number ${direction}, log_index ${direction} limit (? + 0)`,
      [fid, type, ...(token ? numbersOfToken(token, 2) : []), size + 1],
    )
    return pageOf(rows, size, (row) => numbersToken(row.block_number, row.log_index), bodyBytes)
  },
})

export const accountReader = (sql: Sql) => ({
  ...custodyReader(sql),
  ...signerReader(sql),
  ...chainEventReader(sql),
})

const bodyBytes = ({ body }: StoredChainEvent): number => body.length

export function accountWriter(sql: Sql) {
  return {
    ...accountReader(sql),
    insertEvents: (events: readonly StoredChainEvent[]) => CHAIN_EVENTS.insert(sql, events),
    async putCustodies(custodies: readonly Custody[]): Promise<void> {
      const known = await CUSTODIES.findBy(
        sql,
        'fid',
        custodies.map(({ fid }) => fid),
      )
      await CUSTODIES.upsert(sql, custodies)
      const knownFids = new Set(known.map(({ fid }) => fid))
      const added = custodies.filter(({ fid }) => !knownFids.has(fid))
      await countRows(sql, 'custody', added.length)
    },
    putSigners: (signers: readonly SignerState[]) => SIGNERS.upsert(sql, signers),
    insertRents: (rents: readonly Rent[]) => STORAGE_RENTS.insert(sql, rents),
    /** Deletes and returns the events of these types in blocks above this one. */
    removeEventsAfter: (block: number, types: readonly number[]) =>
      CHAIN_EVENTS.removeWhere(
        sql,
        `block_number > ? and type in (${types.map(() => '?').join(', ')})`,
        [block, ...types],
      ),
    /** Deletes what is derived from the events of these fids, to be derived again: custody, keys and rents. */
    async removeStates(fids: readonly number[]): Promise<void> {
      const removed = distinct(fids)
      const known = await CUSTODIES.findBy(sql, 'fid', removed)
      await CUSTODIES.removeBy(sql, 'fid', removed)
      await countRows(sql, 'custody', -known.length)
      await SIGNERS.removeBy(sql, 'fid', removed)
      await STORAGE_RENTS.removeBy(sql, 'fid', removed)
    },
  }
}

const distinct = (fids: readonly number[]) => [...new Set(fids)]
