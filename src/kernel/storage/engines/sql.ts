// Statements, in the SQL that SQLite and PostgreSQL both understand, with `?` for parameters. A limit is `limit (? + 0)`: SQLite's planner looks at the value of a bare parameter
// and plans again for each execution; it does not look into an expression.

export type SqlValue = number | string | Uint8Array | null
export type Row = Record<string, SqlValue>

/** Column types of an `input` list, by PostgreSQL's names (SQLite needs none). */
export type InputColumns = Readonly<Record<string, 'bigint' | 'bytea' | 'text'>>

/**
 * A statement that runs once for a whole list of rows. Its text reads them from a table called
 * `input` with these columns: `select m.* from input i join message m on m.id = i.id`.
 * PostgreSQL gets one statement with array parameters; SQLite runs a prepared one row by row, so the
 * text must mean the same either way: no aggregate or limit across the rows of `input`, unless its rows are one number
 * each, which SQLite gets all at once.
 */
export type ListStatement<C extends InputColumns = InputColumns> = {
  readonly columns: C
  readonly text: string
  /**
   * The same for one row, whose values are the parameters. SQLite runs it for each row, in a half to a quarter of the time:
   * a write that selects its row may be of many rows, so SQLite keeps a journal of the statement.
   */
  readonly rowText?: string
}

export type InputRow<C extends InputColumns> = {
  readonly [K in keyof C]: C[K] extends 'bigint'
    ? number | null
    : C[K] extends 'bytea'
      ? Uint8Array | null
      : string | null
}

export const listStatement = <const C extends InputColumns>(
  columns: C,
  text: string,
): ListStatement<C> => ({ columns, text })

/**
 * Inserts the rows of a list. `also` gives columns that the list does not have a number, or the value of one that it has;
 * `rest` is what follows the values, such as `on conflict`.
 */
export function insertStatement<const C extends InputColumns>(
  table: string,
  columns: C,
  { also = {}, rest = '' }: { also?: Record<string, number | string>; rest?: string } = {},
): ListStatement<C> {
  const names = Object.keys(columns)
  const others = Object.values(also)
  const into = `insert into ${table} (${[...names, ...Object.keys(also)].join(', ')})`
  const values = [...names, ...others].map((value) =>
    typeof value === 'number' ? value : `?${names.indexOf(value) + 1}`,
  )
  return {
    columns,
    text: `${into} select ${[...names, ...others].join(', ')} from input where true ${rest}`,
    rowText: `${into} values (${values.join(', ')}) ${rest}`,
  }
}

/** Updates rows of a table by those of a list, of which both functions get the names of the values. */
export function updateStatement<const C extends InputColumns>(
  table: string,
  columns: C,
  set: (input: Record<keyof C, string>) => string,
  where: (input: Record<keyof C, string>) => string,
): ListStatement<C> {
  const named = (nameOf: (column: string, index: number) => string) =>
    Object.fromEntries(
      Object.keys(columns).map((column, i) => [column, nameOf(column, i)]),
    ) as Record<keyof C, string>
  const listed = named((column) => `i.${column}`)
  const given = named((_, i) => `?${i + 1}`)
  return {
    columns,
    text: `update ${table} set ${set(listed)} from input i where ${where(listed)}`,
    rowText: `update ${table} set ${set(given)} where ${where(given)}`,
  }
}

/** The names of all columns of a select, and their types. */
export type BundledColumns = Readonly<Record<string, 'bigint' | 'bytea'>>

/** A select of many rows. The same text always has the same columns, one or more of them byte strings. */
export type BundledSelect = { readonly columns: BundledColumns; readonly text: string }

/** Rows come back as plain objects: integers as numbers (all are below 2^53), bytes as Uint8Array. */
export interface Sql {
  all(text: string, parameters?: readonly SqlValue[]): Promise<Row[]>
  each<C extends InputColumns>(
    statement: ListStatement<C>,
    rows: readonly InputRow<C>[],
  ): Promise<Row[]>
  /** As `all`, for many rows: on an engine where it costs less they are handed over together. */
  bundled(select: BundledSelect, parameters?: readonly SqlValue[]): Promise<Row[]>
}
