import {
  boundedPage,
  byListOrder,
  type FidList,
  fidListQuery,
  type ListQuery,
  type MessageKey,
  markedIdsQuery,
  mentionListQuery,
  scannedTo,
  targetListQuery,
} from './message-lists.ts'
import { PACKED_MESSAGES, type PackedMessages, packedIn } from './message-parts.ts'
import { numbersIn, numbersOf } from './number-lists.ts'
import type { PageRequest } from './page.ts'
import type { Row, Sql } from './sql.ts'

/** Published messages in the order of their lists. */
export interface PublishedLists<T> {
  listByFid(list: FidList, page: PageRequest): Promise<MessageList<T>>
  listByTarget(target: Uint8Array, page: PageRequest): Promise<MessageList<T>>
  listByMention(mentioned: number, page: PageRequest): Promise<MessageList<T>>
}

export type MessageList<T> = {
  /** At most as many as the page holds. */
  readonly items: T
  /** Whether the list goes on after the last of them. */
  readonly hasMore: boolean
  /** When it does not: the token of the last row that was looked at, if there are rows after that one. */
  readonly scannedTo: Uint8Array | undefined
}

/**
 * The ids of the messages. What a message looks like never changes, so readers that keep it need nothing else: ids alone are
 * read from an index and cost a tenth of whole rows.
 */
export type PublishedMessageIds = PublishedLists<readonly number[]> & {
  listByTargets(targets: readonly Uint8Array[], page: PageRequest): Promise<IdList>
}

export type IdList = MessageList<readonly number[]>

const OPTIONS = { publishedOnly: true, columns: 'm.id', isWhole: false }

export function publishedMessageIds(sql: Sql): PublishedMessageIds {
  return {
    ...publishedLists(sql, {
      textOf: (ids) => `select ${numbersOf('l.id', 'ids')} from (${ids}) l`,
      read(row) {
        const ids = numbersIn(row.ids)
        const items = ids.filter((id) => id > 0)
        return { rows: ids.length, shown: items.length, items }
      },
      first: (ids, count) => ids.slice(0, count),
    }),
    async listByTargets(targets, page) {
      const bounded = boundedPage(page, targets.length)
      const keyed = { ...OPTIONS, columns: 'm.id, m.timestamp, m.hash, m.fid' }
      const lists = await Promise.all(
        targets.map((target) => {
          const { text, values } = targetListQuery(target, bounded, keyed)
          return sql.all(text, values) as Promise<unknown> as Promise<KeyedRow[]>
        }),
      )
      const ids = lists
        .flat()
        .sort(byListOrder(page.reverse))
        .map(({ id }) => id)
      const { size } = bounded
      return { items: ids.slice(0, size), hasMore: ids.length > size, scannedTo: undefined }
    },
  }
}

/**
 * The messages themselves, which are read together with the list. Only for the embedded store, which joins them in the
 * order of the list, and only for pages whose messages may be held at once.
 */
export const publishedPackedMessages = (sql: Sql): PublishedLists<PackedMessages> =>
  publishedLists(sql, {
    // An id with a minus is that of no message.
    textOf: (ids) => `select count(*) as row_count, ${PACKED_MESSAGES}
      from (${ids}) l left join message m on m.id = l.id WITH_SIGNERS(m)`,
    read(row) {
      const items = packedIn(row)
      return { rows: row.row_count as number, shown: items.lengths.length, items }
    },
    first: ({ lengths, ...rest }, count) => ({ ...rest, lengths: lengths.slice(0, count) }),
  })

type Form<T> = {
  /** The statement that reads what the ids in this one name; it has one row. */
  textOf(ids: string): string
  read(row: Row): Listed<T>
  first(items: T, count: number): T
}

/** The rows of a list, and those of them that are shown: the others are marked with a minus. */
type Listed<T> = { readonly rows: number; readonly shown: number; readonly items: T }

function publishedLists<T>(sql: Sql, { textOf, read, first }: Form<T>): PublishedLists<T> {
  // The same text each time: to look for the prepared statement of a new one takes microseconds.
  const texts = new Map<string, string>()
  const listed = async ({ text, values }: ListQuery): Promise<Listed<T>> => {
    const whole = texts.getOrInsertComputed(text, textOf)
    const [row] = await sql.all(whole, values)
    return read(row!)
  }
  const pageOf = ({ rows, shown, items }: Listed<T>, size: number): MessageList<T> => ({
    items: shown > size ? first(items, size) : items,
    hasMore: rows > size,
    scannedTo: undefined,
  })
  return {
    async listByFid(wanted, page) {
      const marked = markedIdsQuery(wanted, page)
      if (marked) {
        const list = await listed(marked)
        // Where none is shown, some may be hidden by themselves.
        const isLast = list.rows <= page.size && list.shown > 0
        if (isLast || list.shown === list.rows) return pageOf(list, page.size)
      }
      const query = fidListQuery(wanted, page, OPTIONS)
      const list = pageOf(await listed(query), page.size)
      return list.hasMore ? list : { ...list, scannedTo: await scannedTo(sql, query) }
    },
    listByTarget: async (target, page) =>
      pageOf(await listed(targetListQuery(target, page, OPTIONS)), page.size),
    listByMention: async (mentioned, page) =>
      pageOf(await listed(mentionListQuery(mentioned, page, OPTIONS)), page.size),
  }
}

type KeyedRow = MessageKey & { readonly id: number }
