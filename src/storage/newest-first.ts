import type { Row, Sql, SqlValue } from './sql.ts'

/** A list by time, the newest first, and within one second by further columns. */
export type NewestFirst = {
  readonly table: string
  readonly columns: string
  readonly time: string
  readonly ties: readonly string[]
  /** Whether the greatest tie comes first; else the smallest. */
  readonly tiesDown?: boolean
}

/** What a list is narrowed to: columns and their values; those that are undefined do not count. */
export type Filter = Readonly<Record<string, number | string | undefined>>

/**
 * Reads such a list after a position: its last row's time and ties. Any page costs the same where an
 * index has the filter's columns and then the list's.
 */
export async function readNewestFirst(
  sql: Sql,
  { table, columns, time, ties, tiesDown = false }: NewestFirst,
  filter: Filter,
  after: readonly SqlValue[] | undefined,
  limit: number,
): Promise<Row[]> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const values = given.map(([, value]) => value as SqlValue)
  // What the filter fixes orders nothing, and would keep an index from finding the place.
  const free = ties.flatMap((name, i) =>
    filter[name] === undefined ? [{ name, value: after?.[i + 1] as SqlValue }] : [],
  )
  const direction = tiesDown ? ' desc' : ''
  const order = [`${time} desc`, ...free.map(({ name }) => name + direction)].join(', ')
  const part = (condition: string, parameters: readonly SqlValue[], most: number) => {
    const conditions = [...given.map(([column]) => `${column} = ?`), condition].filter(Boolean)
    const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
    const text = `select ${columns} from ${table} ${where} order by ${order} limit ?`
    return sql.all(text, [...values, ...parameters, most])
  }
  if (!after) return part('', [], limit)
  // A page may end within a second: the rest of that second, then what is older.
  const at = after[0] as SqlValue
  const [names, marks] = [free.map(({ name }) => name), free.map(() => '?')]
  const beyond = `(${names.join(', ')}) ${tiesDown ? '<' : '>'} (${marks.join(', ')})`
  const place = [at, ...free.map(({ value }) => value)]
  const same = free.length === 0 ? [] : await part(`${time} = ? and ${beyond}`, place, limit)
  if (same.length === limit) return same
  return [...same, ...(await part(`${time} < ?`, [at], limit - same.length))]
}
