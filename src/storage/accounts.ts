import { keyOfToken, numbersOfToken, numbersToken } from './list-key.ts'
import { type Page, type PageRequest, pageOf } from './page.ts'
import { listStatement, type Sql } from './sql.ts'

/** Who holds a fid and who may recover it, each as the newest confirmed event about it says. */
export type Custody = {
  readonly fid: number
  /** 20 bytes. */
  readonly address: Uint8Array
  readonly block_number: number
  readonly log_index: number
  /** 20 bytes, all zero when there is none. */
  readonly recovery: Uint8Array
  /** -1 as long as no event about it is known. */
  readonly recovery_block: number
  readonly recovery_log: number
}

/** The newest event about a key of a fid. Active: it was added, as an Ed25519 signing key. */
export type SignerState = {
  readonly fid: number
  readonly key: Uint8Array
  readonly active: 0 | 1
  readonly block_number: number
  readonly log_index: number
}

export type Rent = {
  readonly fid: number
  readonly block_number: number
  readonly log_index: number
  /** Unix seconds. */
  readonly rented_at: number
  readonly units: number
}

/** An on-chain event as its encoded OnChainEvent, under the key that makes it unique. */
export type StoredChainEvent = {
  readonly fid: number
  readonly type: number
  readonly block_number: number
  readonly log_index: number
  readonly body: Uint8Array
}

export type SignerOf = { readonly fid: number; readonly key: Uint8Array }

/** What the write path asks of each (fid, key): is the fid registered, is the key active. */
export type SignerStatus = SignerOf & { readonly registered: boolean; readonly active: boolean }

export interface AccountReader {
  custody(fid: number): Promise<Custody | undefined>
  custodies(fids: readonly number[]): Promise<Custody[]>
  byAddress(address: Uint8Array): Promise<Custody | undefined>
  byAddresses(addresses: readonly Uint8Array[]): Promise<Custody[]>
  newestFid(): Promise<number>
  count(): Promise<number>
  listFids(page: PageRequest): Promise<Page<number>>
  signer(fid: number, key: Uint8Array): Promise<SignerState | undefined>
  signers(signers: readonly SignerOf[]): Promise<SignerState[]>
  activeSignerCount(fid: number): Promise<number>
  signerStatuses(signers: readonly SignerOf[]): Promise<SignerStatus[]>
  /** Events that made the active keys active, by key; the token is the 32-byte key. */
  listActiveSigners(fid: number, page: PageRequest): Promise<Page<StoredChainEvent>>
  rents(fids: readonly number[]): Promise<Rent[]>
  hasEvents(events: readonly EventKey[]): Promise<EventKey[]>
  event(key: EventKey): Promise<StoredChainEvent | undefined>
  /** All events of these types about these fids, in no order. */
  eventsOf(fids: readonly { fid: number; type: number }[]): Promise<StoredChainEvent[]>
  /** A fid's events of one type by (block, log); the token is those two numbers. */
  listEvents(fid: number, type: number, page: PageRequest): Promise<Page<StoredChainEvent>>
}

export type EventKey = Omit<StoredChainEvent, 'body'>

export interface AccountWriter extends AccountReader {
  insertEvents(events: readonly StoredChainEvent[]): Promise<void>
  putCustodies(custodies: readonly Custody[]): Promise<void>
  putSigners(signers: readonly SignerState[]): Promise<void>
  insertRents(rents: readonly Rent[]): Promise<void>
  /** Takes out the events of these types in blocks above this one, and says which they were. */
  removeEventsAfter(block: number, types: readonly number[]): Promise<StoredChainEvent[]>
  /** Takes out what was made of these fids' events, to be made anew: custody, keys and rents. */
  removeStates(fids: readonly number[]): Promise<void>
}

/** Only Ed25519 keys are ever active. */
const ACTIVE_KEY_BYTES = 32

const CUSTODIES = listStatement(
  { fid: 'bigint' },
  'select c.* from input i join custody c on c.fid = i.fid',
)
const BY_ADDRESSES = listStatement(
  { address: 'bytea' },
  'select c.* from input i join custody c on c.address = i.address',
)
const SIGNERS = listStatement(
  { fid: 'bigint', key: 'bytea' },
  'select s.* from input i join signer s on s.fid = i.fid and s.key = i.key',
)
const EVENTS_OF = listStatement(
  { fid: 'bigint', type: 'bigint' },
  'select e.* from input i join chain_event e on e.fid = i.fid and e.type = i.type',
)
const SIGNER_STATUSES = listStatement(
  { fid: 'bigint', key: 'bytea' },
  `select i.fid, i.key, case when c.fid is null then 0 else 1 end as registered,
          coalesce(s.active, 0) as active
     from input i left join custody c on c.fid = i.fid
                  left join signer s on s.fid = i.fid and s.key = i.key`,
)
const RENTS = listStatement(
  { fid: 'bigint' },
  'select r.* from input i join storage_rent r on r.fid = i.fid',
)
const EVENT_KEY = {
  fid: 'bigint',
  type: 'bigint',
  block_number: 'bigint',
  log_index: 'bigint',
} as const
const HAS_EVENTS = listStatement(
  EVENT_KEY,
  `select e.fid, e.type, e.block_number, e.log_index from input i join chain_event e
     on e.fid = i.fid and e.type = i.type
    and e.block_number = i.block_number and e.log_index = i.log_index`,
)
const INSERT_EVENTS = listStatement(
  { ...EVENT_KEY, body: 'bytea' },
  `insert into chain_event (fid, type, block_number, log_index, body)
   select fid, type, block_number, log_index, body from input`,
)
const PUT_CUSTODIES = listStatement(
  {
    fid: 'bigint',
    address: 'bytea',
    block_number: 'bigint',
    log_index: 'bigint',
    recovery: 'bytea',
    recovery_block: 'bigint',
    recovery_log: 'bigint',
  },
  `insert into custody (fid, address, block_number, log_index, recovery, recovery_block, recovery_log)
   select fid, address, block_number, log_index, recovery, recovery_block, recovery_log
     from input where true
   on conflict (fid) do update set address = excluded.address,
     block_number = excluded.block_number, log_index = excluded.log_index,
     recovery = excluded.recovery, recovery_block = excluded.recovery_block,
     recovery_log = excluded.recovery_log`,
)
const PUT_SIGNERS = listStatement(
  { fid: 'bigint', key: 'bytea', active: 'bigint', block_number: 'bigint', log_index: 'bigint' },
  `insert into signer (fid, key, active, block_number, log_index)
   select fid, key, active, block_number, log_index from input where true
   on conflict (fid, key) do update set active = excluded.active,
     block_number = excluded.block_number, log_index = excluded.log_index`,
)
const INSERT_RENTS = listStatement(
  {
    fid: 'bigint',
    block_number: 'bigint',
    log_index: 'bigint',
    rented_at: 'bigint',
    units: 'bigint',
  },
  `insert into storage_rent (fid, block_number, log_index, rented_at, units)
   select fid, block_number, log_index, rented_at, units from input`,
)

const REMOVE_STATES = ['custody', 'signer', 'storage_rent'].map((table) =>
  listStatement({ fid: 'bigint' }, `delete from ${table} where fid in (select fid from input)`),
)

export function accountReader(sql: Sql): AccountReader {
  const first = async <T>(text: string, parameters: (number | Uint8Array)[]) => {
    const [row] = await sql.all(text, parameters)
    return row as unknown as T | undefined
  }
  return {
    custody: (fid) => first('select * from custody where fid = ?', [fid]),
    async custodies(fids) {
      return (await sql.each(CUSTODIES, distinct(fids))) as unknown as Custody[]
    },
    byAddress: (address) =>
      first(
        'select * from custody where address = ? order by block_number desc, log_index desc limit 1',
        [address],
      ),
    async byAddresses(addresses) {
      const rows = addresses.map((address) => ({ address }))
      return (await sql.each(BY_ADDRESSES, rows)) as unknown as Custody[]
    },
    async newestFid() {
      return (await first<{ fid: number }>('select max(fid) as fid from custody', []))?.fid ?? 0
    },
    async count() {
      return (await first<{ n: number }>('select count(*) as n from custody', []))?.n ?? 0
    },
    async listFids({ size, token, reverse }) {
      const rows = await sql.all(
        `select fid from custody where fid ${reverse ? '<' : '>'} ?
          order by fid ${reverse ? 'desc' : 'asc'} limit ?`,
        [token ? numbersOfToken(token, 1)[0]! : reverse ? 2 ** 40 : 0, size + 1],
      )
      return pageOf(
        rows.map((row) => row.fid as number),
        size,
        (fid) => numbersToken(fid),
      )
    },
    signer: (fid, key) => first('select * from signer where fid = ? and key = ?', [fid, key]),
    async signers(signers) {
      return (await sql.each(SIGNERS, signers)) as unknown as SignerState[]
    },
    async activeSignerCount(fid) {
      const text = 'select count(*) as n from signer where fid = ? and active = 1'
      return (await first<{ n: number }>(text, [fid]))?.n ?? 0
    },
    async signerStatuses(signers) {
      const rows = await sql.each(SIGNER_STATUSES, signers)
      return rows.map((row) => ({
        fid: row.fid as number,
        key: row.key as Uint8Array,
        registered: row.registered === 1,
        active: row.active === 1,
      }))
    },
    async listActiveSigners(fid, { size, token, reverse }) {
      const compare = token ? `and s.key ${reverse ? '<' : '>'} ?` : ''
      const rows = (await sql.all(
        `select e.*, s.key from signer s join chain_event e on e.fid = s.fid and e.type = 1
            and e.block_number = s.block_number and e.log_index = s.log_index
          where s.fid = ? and s.active = 1 ${compare}
          order by s.key ${reverse ? 'desc' : 'asc'} limit ?`,
        [fid, ...(token ? [keyOfToken(token, ACTIVE_KEY_BYTES)] : []), size + 1],
      )) as unknown as (StoredChainEvent & { key: Uint8Array })[]
      return pageOf(rows, size, (row) => row.key)
    },
    async rents(fids) {
      return (await sql.each(RENTS, distinct(fids))) as unknown as Rent[]
    },
    async hasEvents(events) {
      return (await sql.each(HAS_EVENTS, events)) as unknown as EventKey[]
    },
    event: (key) =>
      first(
        `select * from chain_event where fid = ? and type = ? and block_number = ?
            and log_index = ?`,
        [key.fid, key.type, key.block_number, key.log_index],
      ),
    async eventsOf(fids) {
      return (await sql.each(EVENTS_OF, fids)) as unknown as StoredChainEvent[]
    },
    async listEvents(fid, type, { size, token, reverse }) {
      const compare = token ? `and (block_number, log_index) ${reverse ? '<' : '>'} (?, ?)` : ''
      const direction = reverse ? 'desc' : 'asc'
      const rows = (await sql.all(
        `select * from chain_event where fid = ? and type = ? ${compare}
          order by block_number ${direction}, log_index ${direction} limit ?`,
        [fid, type, ...(token ? numbersOfToken(token, 2) : []), size + 1],
      )) as unknown as StoredChainEvent[]
      return pageOf(rows, size, (row) => numbersToken(row.block_number, row.log_index))
    },
  }
}

export function accountWriter(sql: Sql): AccountWriter {
  const put =
    (statement: Parameters<Sql['each']>[0]) =>
    async (rows: readonly unknown[]): Promise<void> => {
      if (rows.length > 0) await sql.each(statement, rows as never)
    }
  return {
    ...accountReader(sql),
    insertEvents: put(INSERT_EVENTS),
    putCustodies: put(PUT_CUSTODIES),
    putSigners: put(PUT_SIGNERS),
    insertRents: put(INSERT_RENTS),
    async removeEventsAfter(block, types) {
      const marks = types.map(() => '?').join(', ')
      const rows = await sql.all(
        `delete from chain_event where block_number > ? and type in (${marks})
         returning *`,
        [block, ...types],
      )
      return rows as unknown as StoredChainEvent[]
    },
    async removeStates(fids) {
      for (const statement of REMOVE_STATES) await put(statement)(distinct(fids))
    },
  }
}

const distinct = (fids: readonly number[]) => [...new Set(fids)].map((fid) => ({ fid }))
