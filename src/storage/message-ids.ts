import {
  boundedPage,
  byListOrder,
  type FidList,
  fidListQuery,
  type ListQuery,
  type MessageKey,
  markedIdsQuery,
  mentionListQuery,
  NOT_MARKED,
  scannedTo,
  targetListQuery,
} from './message-lists.ts'
import { numbersIn, numbersOf } from './number-lists.ts'
import type { PageRequest } from './page.ts'
import type { Sql } from './sql.ts'

/**
 * The ids of published messages in the order of their lists. What a message looks like never changes, so
 * readers that keep it need nothing else: ids alone are read from an index and cost a tenth of whole rows.
 */
export interface PublishedMessageIds {
  listByFid(list: FidList, page: PageRequest): Promise<IdList>
  listByTargets(targets: readonly Uint8Array[], page: PageRequest): Promise<IdList>
  listByMention(mentioned: number, page: PageRequest): Promise<IdList>
}

export type IdList = {
  /** At most as many as the page holds. */
  readonly ids: readonly number[]
  /** Whether the list goes on after the last of them. */
  readonly hasMore: boolean
  /** When it does not: the token of the last row that was looked at, if there are rows after that one. */
  readonly scannedTo: Uint8Array | undefined
}

export function publishedMessageIds(sql: Sql): PublishedMessageIds {
  const options = { publishedOnly: true, columns: 'm.id', isWhole: false }
  const idsIn = async ({ text, values }: ListQuery): Promise<readonly number[]> => {
    const [row] = await sql.all(`select ${numbersOf('l.id', 'ids')} from (${text}) l`, values)
    return numbersIn(row!.ids)
  }
  const idsOf = async (query: ListQuery, size: number): Promise<IdList> =>
    pageOfIds(await idsIn(query), size)
  return {
    async listByFid(wanted, page) {
      const marked = markedIdsQuery(wanted, page)
      if (marked) {
        const ids = await idsIn(marked)
        const shown = ids.filter((id) => id > 0)
        const isLast = ids.length <= page.size && ids[0] !== NOT_MARKED
        if (isLast || shown.length === ids.length) return pageOfIds(shown, page.size)
      }
      const query = fidListQuery(wanted, page, options)
      const list = await idsOf(query, page.size)
      return list.hasMore ? list : { ...list, scannedTo: await scannedTo(sql, query) }
    },
    async listByTargets(targets, page) {
      const bounded = boundedPage(page, targets.length)
      const [only] = targets
      if (only && targets.length === 1) {
        return idsOf(targetListQuery(only, bounded, options), bounded.size)
      }
      const keyed = { ...options, columns: 'm.id, m.timestamp, m.hash, m.fid' }
      const lists = await Promise.all(
        targets.map((target) => {
          const { text, values } = targetListQuery(target, bounded, keyed)
          return sql.all(text, values) as Promise<unknown> as Promise<KeyedRow[]>
        }),
      )
      const rows = lists.flat().sort(byListOrder(page.reverse))
      return pageOfIds(
        rows.map(({ id }) => id),
        bounded.size,
      )
    },
    listByMention: (mentioned, page) =>
      idsOf(mentionListQuery(mentioned, page, options), page.size),
  }
}

type KeyedRow = MessageKey & { readonly id: number }

const pageOfIds = (ids: readonly number[], size: number): IdList => ({
  ids: ids.slice(0, size),
  hasMore: ids.length > size,
  scannedTo: undefined,
})
