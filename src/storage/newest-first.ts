import { isPublishedFid } from './published.ts'
import type { Row, Sql, SqlValue } from './sql.ts'

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
 * Reads such a list after a position: its last row's time and ties. Any page costs the same where an
 * index has the filter's columns and then the list's.
 */
export async function readNewestFirst(
  sql: Sql,
  { table, columns, time, ties, tiesDown = false, publishedFids = [] }: NewestFirst,
  filter: Filter,
  after: readonly SqlValue[] | undefined,
  limit: number,
): Promise<Row[]> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const values = given.map(([, value]) => value as SqlValue)
  // Columns with a fixed value do not affect the order and would prevent the use of an index.
  const free = ties.flatMap((name, i) =>
    filter[name] === undefined ? [{ name, value: after?.[i + 1] as SqlValue }] : [],
  )
  const direction = tiesDown ? ' desc' : ''
  const order = [`${time} desc`, ...free.map(({ name }) => name + direction)].join(', ')
  const part = (condition: string, parameters: readonly SqlValue[], most: number) => {
    const published = publishedFids.map((column) => isPublishedFid(`${table}.${column}`))
    const wanted = given.map(([column]) => `${column} = ?`)
    const conditions = [...wanted, ...published, condition].filter(Boolean)
    const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
    const text = `select ${columns} from ${table} ${where} order by ${order} limit ?`
    return sql.all(text, [...values, ...parameters, most])
  }
  if (!after) return part('', [], limit)
  // The previous page may end within a second: read the rest of that second, then older rows.
  const at = after[0] as SqlValue
  const [names, marks] = [free.map(({ name }) => name), free.map(() => '?')]
  const beyond = `(${names.join(', ')}) ${tiesDown ? '<' : '>'} (${marks.join(', ')})`
  const place = [at, ...free.map(({ value }) => value)]
  const same = free.length === 0 ? [] : await part(`${time} = ? and ${beyond}`, place, limit)
  if (same.length === limit) return same
  return [...same, ...(await part(`${time} < ?`, [at], limit - same.length))]
}
