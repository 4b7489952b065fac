import type { Row, Sql, SqlValue } from '../engines/sql.ts'
import { isListedFid } from './published.ts'

/** A list by time, newest first, and by further columns (`ties`) within one second. */
export type NewestFirst = {
  readonly table: string
  readonly columns: string
  readonly time: string
  readonly ties: readonly string[]
  /** Whether ties are in descending order. */
  readonly tiesDown?: boolean
  /** Columns with fids: rows of accounts that moderation hides are left out. */
  readonly publishedFids?: readonly string[]
}

/** Required values of columns. Undefined values are ignored. */
export type Filter = Readonly<Record<string, number | string | undefined>>

/**
 * PostgreSQL keeps the plan of a statement only when it seems no slower than one for these values. For a limit that it does not
 * know it guesses a tenth of all rows, so it planned each page anew, for longer than it reads one. These sizes are written into the
 * text: those of usual pages and one row more, which says whether there is another page. Other pages read a few rows too many.
 * The subquery of a time has the same reason: the planner does not look at its value, which seems cheap near the end of a list.
 */
const SIZES = [1, 11, 26, 51, 101, 251, 501, 1_001]

/**
 * Reads such a list after a position: its last row's time and ties. Any page costs the same where an
 * index has the filter's columns and then the list's.
 */
export async function readNewestFirst(
  sql: Sql,
  list: NewestFirst,
  filter: Filter,
  after: readonly SqlValue[] | undefined,
  limit: number,
): Promise<Row[]> {
  const size = SIZES.find((size) => size >= limit) ?? limit
  const { text, parameters } = statementOf(list, filter, after, size)
  const rows = await sql.all(text, parameters)
  return rows.length > limit ? rows.slice(0, limit) : rows
}

function statementOf(
  { table, columns, time, ties, tiesDown = false, publishedFids = [] }: NewestFirst,
  filter: Filter,
  after: readonly SqlValue[] | undefined,
  size: number,
): { text: string; parameters: SqlValue[] } {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const values = given.map(([, value]) => value as SqlValue)
  // Columns with a fixed value do not affect the order and would prevent the use of an index.
  const free = ties.flatMap((name, i) =>
    filter[name] === undefined ? [{ name, value: after?.[i + 1] as SqlValue }] : [],
  )
  const direction = tiesDown ? ' desc' : ''
  const order = [`${time} desc`, ...free.map(({ name }) => name + direction)].join(', ')
  const part = (condition: string) => {
    const wanted = given.map(([column]) => `${column} = ?`)
    const published = publishedFids.map((column) => isListedFid(`${table}.${column}`))
    const conditions = [...wanted, condition, ...published].filter(Boolean)
    const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
    return `select ${columns} from ${table} ${where} order by ${order} limit ${size}`
  }
  if (!after) return { text: part(''), parameters: values }
  const older = part(`${time} < (select cast(? as bigint))`)
  const before = [...values, after[0] as SqlValue]
  if (free.length === 0) return { text: older, parameters: before }
  // The previous page may end within a second: first comes the rest of that second.
  const names = free.map(({ name }) => name).join(', ')
  const beyond = `(${names}) ${tiesDown ? '<' : '>'} (${free.map(() => '?').join(', ')})`
  const text = `select ${columns} from (${part(`${time} = ? and ${beyond}`)}) as same
    union all select ${columns} from (${older}) as older order by ${order} limit ${size}`
  return { text, parameters: [...before, ...free.map(({ value }) => value), ...before] }
}
