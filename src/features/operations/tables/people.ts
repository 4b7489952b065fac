import { MAX_FID } from '../../../kernel/protocol/sizes.ts'
import { OnChainEventType } from '../../../kernel/protocol/wire/onchain_event_pb.js'
import { listStatement, type Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { query, queryEach, rowsWith } from '../../../kernel/storage/tables/table.ts'

// Accounts as the operator sees them, hidden ones too.

/** Which accounts: all, those about which reports are open, that are suspended or limited, or that have a role. */
export const PEOPLE_LISTS = ['all', 'reported', 'suspended', 'limited', 'staff'] as const
export type PeopleList = (typeof PEOPLE_LISTS)[number]

const OPEN = "moderation_report where state = 'open'"
const LISTS: Readonly<Record<PeopleList, string>> = {
  all: 'select fid from custody where true',
  reported: `select distinct fid from ${OPEN}`,
  suspended: 'select fid from account_moderation where suspended = 1',
  limited: 'select fid from account_limit where true',
  staff: 'select fid from staff where true',
}

/** In which order: the newest first; the last seen first; the most reported first, of reports that are open. */
export const PEOPLE_ORDERS = ['newest', 'seen', 'reports'] as const
export type PeopleOrder = (typeof PEOPLE_ORDERS)[number]

/**
 * What accounts are ordered by before their fid, and which have a place: the others come last, the newest first. Either the list is
 * bounded by what moderators do, or an index has the order.
 */
const PLACES = {
  seen: {
    of: (list: PeopleList) =>
      list === 'all'
        ? 'select fid, hour as place from active_fid'
        : `select l.fid, a.hour as place from (${LISTS[list]}) l cross join active_fid a where a.fid = l.fid`,
    has: 'select 1 from active_fid a where a.fid = l.fid',
  },
  reports: {
    of: (list: PeopleList) =>
      `select fid, count(*) as place from ${OPEN} and fid in (${LISTS[list]}) group by fid`,
    has: `select 1 from ${OPEN} and moderation_report.fid = l.fid`,
  },
} as const

/** Accounts that one page looks through at most for those without a place: nearly all may have one. */
const MAX_LOOKED_THROUGH = 10_000
const through = (list: PeopleList) =>
  `select fid from (${LISTS[list]}) x where fid < ? and fid > 0 order by fid desc limit (? + 0)`

export type PeoplePage = {
  readonly list: PeopleList
  readonly order: PeopleOrder
  /** The last of the page before. */
  readonly after: PersonPlace | undefined
  /** An account that learns nothing of reports about itself. */
  readonly without: number | undefined
}
export type PersonPlace = { readonly fid: number; readonly place: number }

/** Reports that are counted of an account; more says nothing more. */
export const MAX_COUNTED_REPORTS = 1_000
const reports = (state: 'open' | 'resolved') =>
  `(select count(*) from (select 1 from moderation_report r
     where r.state = '${state}' and r.fid = i.fid limit ${MAX_COUNTED_REPORTS}) as counted) as ${state}`

const FACTS = listStatement(
  { fid: 'bigint' },
  `select i.fid, c.address, a.hour, coalesce(m.suspended, 0) as suspended,
          (select 1 from account_limit l where l.fid = i.fid) as limited,
          (select s.role from staff s where s.fid = i.fid) as role,
          case when m.erased_before > 0 then 1 else 0 end as erased,
          (select p.name from name_proof p where p.fid = i.fid order by p.name limit 1) as name,
          (select e.body from chain_event e
            where e.fid = i.fid and e.type = ${OnChainEventType.EVENT_TYPE_ID_REGISTER}
            order by e.block_number, e.log_index limit 1) as registered,
          ${reports('open')}, ${reports('resolved')}
     from input i left join custody c on c.fid = i.fid
                  left join active_fid a on a.fid = i.fid
                  left join account_moderation m on m.fid = i.fid`,
)

export type PersonFacts = {
  readonly fid: number
  /** Null: the fid is not registered here. */
  readonly address: Uint8Array | null
  /** Network hour of the newest message; null: there is none. */
  readonly hour: number | null
  readonly suspended: 0 | 1
  readonly limited: 1 | null
  readonly role: 'moderator' | 'operator' | null
  readonly erased: 0 | 1
  /** UTF-8. */
  readonly name: Uint8Array | null
  /** The first event about the fid. */
  readonly registered: Uint8Array | null
  readonly open: number
  readonly resolved: number
}

/** No account has it. */
const NO_FID = -1

/** After every byte string that begins with these bytes, as far as UTF-8 goes. */
const behind = (prefix: Uint8Array): Uint8Array => Buffer.concat([prefix, Uint8Array.of(0xff)])

export const peopleReader = (sql: Sql) => ({
  /** `on`: where the next page begins although this one is not full. */
  async page(
    { list, order, after, without = NO_FID }: PeoplePage,
    limit: number,
    lookedThrough = MAX_LOOKED_THROUGH,
  ): Promise<{ places: PersonPlace[]; on?: PersonPlace }> {
    const places = order === 'newest' ? undefined : PLACES[order]
    const { place, fid } = after ?? { place: Number.MAX_SAFE_INTEGER, fid: MAX_FID + 1 }
    const isAmongLast = !places || place === 0
    const first = isAmongLast
      ? []
      : await query<PersonPlace>(
          sql,
          `select x.fid, x.place from (${places.of(list)}) x
            where (x.place, x.fid) < (?, ?) and x.place > 0 and x.fid > 0 and x.fid <> ?
            order by x.place desc, x.fid desc limit (? + 0)`,
          [place, fid, without, limit],
        )
    if (first.length === limit) return { places: first }
    const looked = [isAmongLast ? fid : MAX_FID + 1, lookedThrough]
    const last = await query<PersonPlace>(
      sql,
      `select l.fid, 0 as place from (${through(list)}) l
        where l.fid <> ? ${places ? `and not exists (${places.has})` : ''}
        order by l.fid desc limit (? + 0)`,
      [...looked, without, limit - first.length],
    )
    const found = [...first, ...last]
    if (found.length === limit) return { places: found }
    const [end] = await query<{ count: number; fid: number }>(
      sql,
      `select count(*) as count, coalesce(min(fid), 0) as fid from (${through(list)}) l`,
      looked,
    )
    const isMore = end!.count === lookedThrough
    return { places: found, ...(isMore && { on: { place: 0, fid: end!.fid } }) }
  },
  /** Those whose name begins so, by name. */
  async named(prefix: Uint8Array, limit: number): Promise<number[]> {
    const rows = await query<{ fid: number }>(
      sql,
      'select fid from name_proof where name >= ? and name < ? and fid > 0 order by name limit (? + 0)',
      [prefix, behind(prefix), limit],
    )
    return [...new Set(rows.map(({ fid }) => fid))]
  },
  /** Those that an address holds, the newest first. */
  async heldBy(address: Uint8Array, limit: number): Promise<number[]> {
    const text = 'select fid from custody where address = ? order by fid desc limit (? + 0)'
    return (await query<{ fid: number }>(sql, text, [address, limit])).map(({ fid }) => fid)
  },
  /** In no order. */
  facts: (fids: readonly number[]): Promise<PersonFacts[]> =>
    queryEach(sql, FACTS, rowsWith('fid', fids)),
})

/** `storage.of(peopleRows)` reads these tables, and `tx.of(peopleRows)` writes them. */
export const peopleRows = rowsOf(peopleReader, ({ sql }) => peopleReader(sql))
