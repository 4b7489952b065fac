import type { Fragment } from '../engines/fragment.ts'
import {
  type InputColumns,
  type InputRow,
  insertStatement,
  type ListStatement,
  listStatement,
  type Sql,
  type SqlValue,
  updateStatement,
} from '../engines/sql.ts'
import { type Filter, type NewestFirst, readNewestFirst } from '../reads/newest-first.ts'
import type { Erasure, Exported } from './duties.ts'

// An entity is declared once, as a list of fields. The type of its rows, the SQL that reads and writes them
// and (in table-json.ts) their JSON follow from that list. Migrations create the tables; a test compares.

/**
 * `line` and `text` are strings of one or more lines, `link` is an http or https URL, `fids`
 * a list of fids ("2,5" in the database). `seconds` and `millis` are Unix times. A `flag` is stored as 0 or 1.
 */
type FieldType =
  | 'line'
  | 'text'
  | 'link'
  | 'fids'
  | 'integer'
  | 'fid'
  | 'seconds'
  | 'millis'
  | 'flag'
  | 'bytes'

type TextType = 'line' | 'text' | 'link'

/** What erasures and exports must know of a column (duties.ts): one that names an account or holds text does not compile without it. */
type Duty =
  | { readonly type: 'fid' | 'fids'; readonly erasure: Erasure; readonly exported: Exported }
  | { readonly type: TextType; readonly words: boolean }
  | { readonly type: TextType; readonly values: readonly string[] }
  | { readonly type: Exclude<FieldType, TextType | 'fid' | 'fids'> }

export type Field = FieldOptions & Duty

type FieldOptions = {
  readonly type: FieldType
  /** What an erasure of the account that is named here does to the row. */
  readonly erasure?: Erasure
  /** Whether the export of the account that is named here has the row. */
  readonly exported?: Exported
  /** Why exports of accounts leave the column out; false where it looks like a secret and is none. */
  readonly withheld?: string | false
  /** Whether it holds what a person wrote, or what tells about one, beyond ids and states. */
  readonly words?: boolean
  /** Part of the primary key, in the order of the fields. */
  readonly key?: true
  readonly null?: true
  /** The only strings it may hold. */
  readonly values?: readonly string[]
  /** A count that starts at 0. Only `Table.add` changes it. */
  readonly counter?: true
  /** Its name in JSON; `a.b` is `b` in an object `a`, which is left out when `b` is null. No name: never published. */
  readonly json?: string
  /** Published to the operator alone. */
  readonly operatorOnly?: true
  /** The request bodies that may set it. */
  readonly accept?: readonly ('create' | 'edit')[]
  /** Whether it is part of exports and imports; it is unless it has no JSON name or is a counter. */
  readonly portable?: false
  /** The stored value when a request or an import leaves it out. */
  readonly default?: SqlValue
  /** Characters of a text, bytes of `bytes`, entries of `fids`: the least and the most that a request may send. */
  readonly min?: number
  readonly max?: number
  /** The regular expression that requests must match. */
  readonly pattern?: RegExp
  /** For the API documentation. */
  readonly description?: string
}
export type Fields = Readonly<Record<string, Field>>

type NullOf<C extends Field> = C extends { null: true } ? null : never

/** The stored value of a field. */
export type ValueOf<C extends Field> =
  | NullOf<C>
  | (C extends { values: readonly (infer V)[] }
      ? V
      : C['type'] extends 'bytes'
        ? Uint8Array
        : C['type'] extends 'flag'
          ? 0 | 1
          : C['type'] extends 'integer' | 'fid' | 'seconds' | 'millis'
            ? number
            : string)

/** A row of the table. */
export type Row<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }
export type RowOf<T> = T extends Table<infer F> ? Row<F> : never

/** The primary key of a row. */
export type Key<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { key: true } ? K : never]: ValueOf<F[K]>
}
/** A row without its counters, which start at 0. */
type NewRow<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { counter: true } ? never : K]: ValueOf<F[K]>
}
export type NewRowOf<T> = T extends Table<infer F> ? NewRow<F> : never

type Name<F extends Fields> = keyof F & string
type Counters<F extends Fields> = {
  [K in Name<F>]: F[K] extends { counter: true } ? K : never
}[Name<F>]

/** The position of the last row of a page: its values in the order of the list. */
export type After = readonly SqlValue[] | undefined

/** What a transaction gives to the erasure of a table's rows. */
export type ErasingContext = {
  readonly sql: Sql
  nextPlatformId(): Promise<number>
}

/** A row in the export of an account. */
export type OwnRow = {
  readonly key: readonly SqlValue[]
  /** Without the columns that are withheld. */
  readonly values: Readonly<Record<string, SqlValue>>
}

/** How erasing and exporting rows of a table is more than its columns say. */
type Beyond<F extends Fields> = {
  /** Deletes or empties these rows with what follows from them: counts, versions, rows of other tables. */
  readonly erase?: (context: ErasingContext, rows: readonly Row<F>[]) => Promise<void>
  /** SQL for what a column of words holds once it is empty; otherwise null, or an empty text. */
  readonly emptied?: { readonly [K in Name<F>]?: string }
  /** SQL, with one `?` for a fid: further rows that the export of an account has. */
  readonly exported?: string
  /** SQL of what an exported row has beside its columns, such as the name of what a number stands for. */
  readonly exportedWith?: Readonly<Record<string, string>>
}

/** Declares a table. See `Table` for what follows from the fields. */
export const table = <const F extends Fields>(
  name: string,
  fields: F,
  beyond: Beyond<NoInfer<F>> = {},
): Table<F> => new Table(name, fields, beyond)

/** Runs a query whose result columns the caller describes by `T`. For joins and sums. */
export async function query<T>(
  sql: Sql,
  statement: string | Fragment,
  parameters: readonly SqlValue[] = [],
): Promise<T[]> {
  if (typeof statement === 'string') return (await sql.all(statement, parameters)) as T[]
  return (await sql.all(statement.text, statement.values)) as T[]
}

/** Runs a statement once for a list of rows; the caller describes the result columns by `T`. */
export async function queryEach<T, C extends InputColumns>(
  sql: Sql,
  statement: ListStatement<C>,
  rows: readonly InputRow<C>[],
): Promise<T[]> {
  if (rows.length === 0) return []
  return (await sql.each(statement, rows)) as T[]
}

/** Rows with one column, for a list statement. */
export const rowsWith = <K extends string, V>(column: K, values: readonly V[]): Record<K, V>[] =>
  values.map((value) => ({ [column]: value }) as Record<K, V>)

/** The number of rows that a query counts as `n`. */
export async function countOf(
  sql: Sql,
  text: string,
  parameters: readonly SqlValue[] = [],
): Promise<number> {
  const [row] = await sql.all(text, parameters)
  return Number(row?.n ?? 0)
}

/**
 * A declared table. Methods that take a list of rows run one statement for the whole list (`listStatement`), so
 * a batch of any size costs the same number of round trips. `rest` is SQL from `where` on.
 */
export class Table<F extends Fields> {
  readonly name: string
  readonly fields: F
  readonly columns: readonly Name<F>[]
  readonly key: readonly Name<F>[]
  readonly #stored: readonly Name<F>[]
  readonly #beyond: Beyond<F>
  readonly #statements = new Map<string, ListStatement>()

  constructor(name: string, fields: F, beyond: Beyond<F> = {}) {
    this.name = name
    this.fields = fields
    this.#beyond = beyond
    this.columns = Object.keys(fields)
    this.key = this.columns.filter((column) => fields[column]!.key)
    this.#stored = this.columns.filter((column) => !fields[column]!.counter)
  }

  select(sql: Sql, rest = '', parameters: readonly SqlValue[] = []): Promise<Row<F>[]> {
    return query(sql, `select ${this.columns.join(', ')} from ${this.name} ${rest}`, parameters)
  }

  async first(
    sql: Sql,
    rest: string,
    parameters: readonly SqlValue[] = [],
  ): Promise<Row<F> | undefined> {
    return (await this.select(sql, rest, parameters))[0]
  }

  /** The row with this primary key. */
  find(sql: Sql, ...key: readonly SqlValue[]): Promise<Row<F> | undefined> {
    return this.first(sql, `where ${this.key.map((column) => `${column} = ?`).join(' and ')}`, key)
  }

  /** The rows with these primary keys, in no order. */
  findAll(sql: Sql, keys: readonly Key<F>[]): Promise<Row<F>[]> {
    return this.#each(sql, this.#findBy(this.key), keys)
  }

  /** The rows that have one of the given values in a column, in no order; a repeated value repeats its rows. */
  findBy<K extends Name<F>>(
    sql: Sql,
    column: K,
    values: readonly NonNullable<ValueOf<F[K]>>[],
  ): Promise<Row<F>[]> {
    return this.#each(sql, this.#findBy([column]), rowsWith(column, values))
  }

  /** The rows that have one of the given combinations of values, in no order. */
  findMatching<K extends Name<F>>(
    sql: Sql,
    columns: readonly K[],
    rows: readonly Pick<Row<F>, K>[],
  ): Promise<Row<F>[]> {
    return this.#each(sql, this.#findBy(columns), rows)
  }

  count(sql: Sql, rest = '', parameters: readonly SqlValue[] = []): Promise<number> {
    return countOf(sql, `select count(*) as n from ${this.name} ${rest}`, parameters)
  }

  /** The greatest value of a numeric column; 0 when the table is empty. */
  async max(sql: Sql, column: Name<F>): Promise<number> {
    const [row] = await sql.all(`select max(${column}) as greatest from ${this.name}`)
    return Number(row?.greatest ?? 0)
  }

  /** The rows after a position, in the order of the primary key. */
  pageByKey(sql: Sql, after: After, limit: number): Promise<Row<F>[]> {
    const key = this.key.join(', ')
    const where = after ? `where (${key}) > (${this.key.map(() => '?').join(', ')})` : ''
    return this.select(sql, `${where} order by ${key} limit (? + 0)`, [...(after ?? []), limit])
  }

  /** A list of rows by a time, newest first, and by `ties` within one second. See `readNewestFirst`. */
  newestFirst<C extends Name<F> = Name<F>>({
    columns = this.columns as readonly C[],
    ...order
  }: {
    readonly time: Name<F>
    readonly ties: readonly Name<F>[]
    readonly tiesDown?: boolean
    readonly publishedFids?: readonly Name<F>[]
    /** The columns that are read: all by default. They must include the time and the ties that no filter fixes. */
    readonly columns?: readonly C[]
  }): (sql: Sql, filter: Filter, after: After, limit: number) => Promise<Pick<Row<F>, C>[]> {
    const list: NewestFirst = { ...order, table: this.name, columns: columns.join(', ') }
    return async (sql, filter, after, limit) =>
      (await readNewestFirst(sql, list, filter, after, limit)) as Pick<Row<F>, C>[]
  }

  /** Adds rows. Fails when one of the keys is taken. */
  async insert(sql: Sql, rows: readonly NewRow<F>[]): Promise<void> {
    await this.#each(sql, this.#insert(''), rows)
  }

  /** Adds the rows whose keys are free and returns them. */
  insertNew(sql: Sql, rows: readonly NewRow<F>[]): Promise<Row<F>[]> {
    const rest = `on conflict (${this.#conflict()}) do nothing returning ${this.columns.join(', ')}`
    return this.#each(sql, this.#insert(rest), rows)
  }

  /** Adds rows or replaces those with the same keys. Counters keep their values. Keys must be distinct. */
  async upsert(sql: Sql, rows: readonly NewRow<F>[]): Promise<void> {
    const changed = this.#stored.filter((column) => !this.key.includes(column))
    const set = changed.map((column) => `${column} = excluded.${column}`).join(', ')
    const rest = `on conflict (${this.#conflict()}) do ${set ? `update set ${set}` : 'nothing'}`
    await this.#each(sql, this.#insert(rest), rows)
  }

  /** Sets columns of the rows with these keys. */
  async update<K extends Name<F>>(
    sql: Sql,
    columns: readonly K[],
    rows: readonly (Key<F> & Pick<Row<F>, K>)[],
  ): Promise<void> {
    const statement = this.#update(`update ${columns.join()}`, columns, (_, value) => value)
    await this.#each(sql, statement, rows)
  }

  /** Adds to counters of the rows with these keys and sets other columns with them. Keys must be distinct. */
  async add<C extends Counters<F>, K extends Name<F>>(
    sql: Sql,
    counters: readonly C[],
    columns: readonly K[],
    rows: readonly (Key<F> & Pick<Row<F>, C | K>)[],
  ): Promise<void> {
    const isCounter = new Set<Name<F>>(counters)
    const names = [...counters, ...columns]
    const statement = this.#update(`add ${names.join()}`, names, (column, value) =>
      isCounter.has(column) ? `${this.name}.${column} + ${value}` : value,
    )
    await this.#each(sql, statement, rows)
  }

  /** Deletes the rows with these keys and returns the number deleted. */
  remove(sql: Sql, keys: readonly Key<F>[]): Promise<number> {
    return this.#remove(sql, this.key, keys)
  }

  /** Deletes the rows that have one of the given values in a column and returns the number deleted. */
  removeBy<K extends Name<F>>(
    sql: Sql,
    column: K,
    values: readonly NonNullable<ValueOf<F[K]>>[],
  ): Promise<number> {
    return this.#remove(sql, [column], rowsWith(column, values))
  }

  async #remove(sql: Sql, columns: readonly Name<F>[], rows: readonly object[]): Promise<number> {
    const statement = this.#statement(`remove ${columns.join()}`, columns, (types) => {
      const names = columns.join(', ')
      const tuple = columns.length > 1 ? `(${names})` : names
      return listStatement(
        types,
        `delete from ${this.name} where ${tuple} in (select ${names} from input)
          returning ${columns[0]}`,
      )
    })
    return (await this.#each(sql, statement, rows)).length
  }

  /** Deletes rows and returns them. */
  removeWhere(sql: Sql, condition: string, parameters: readonly SqlValue[]): Promise<Row<F>[]> {
    const returned = this.columns.join(', ')
    return query(
      sql,
      `delete from ${this.name} where ${condition} returning ${returned}`,
      parameters,
    )
  }

  /** Deletes or empties up to `limit` rows of an account, as its columns declare. Returns how many. */
  async erase(context: ErasingContext, fid: number, limit: number): Promise<number> {
    let count = 0
    for (const column of this.columns) {
      const { erasure } = this.fields[column]!
      if (erasure !== 'delete' && erasure !== 'empty') continue
      const unless = erasure === 'empty' ? `and (${this.#hasWords()})` : ''
      const rows = await this.select(context.sql, `where ${column} = ? ${unless} limit (? + 0)`, [
        fid,
        limit - count,
      ])
      if (rows.length > 0) await this.#eraseRows(context, erasure, rows)
      count += rows.length
      if (count >= limit) break
    }
    return count
  }

  async #eraseRows(
    context: ErasingContext,
    erasure: 'delete' | 'empty',
    rows: readonly Row<F>[],
  ): Promise<void> {
    if (this.#beyond.erase) await this.#beyond.erase(context, rows)
    else if (erasure === 'delete') await this.remove(context.sql, rows as never)
    else await this.#each(context.sql, this.#emptying(), rows)
  }

  /**
   * Rows that the export of an account has, after a position in the order of the primary key. A column that says
   * `exported: true` should begin an index.
   */
  async ownRows(sql: Sql, fid: number, after: After, limit: number): Promise<OwnRow[]> {
    const { exported, exportedWith = {} } = this.#beyond
    const owners = this.columns.filter((column) => this.fields[column]!.exported === true)
    const whose = [...owners.map((column) => `${column} = ?`), ...(exported ? [exported] : [])]
    if (whose.length === 0) return []
    const key = this.key.join(', ')
    const rows = await sql.all(
      `select ${[...this.columns, ...Object.entries(exportedWith).map(([as, text]) => `${text} as ${as}`)].join(', ')}
       from ${this.name} where (${whose.join(' or ')})
       ${after ? `and (${key}) > (${this.key.map(() => '?').join(', ')})` : ''}
       order by ${key} limit (? + 0)`,
      [...whose.map(() => fid), ...(after ?? []), limit],
    )
    return rows.map((row) => ({
      key: this.key.map((column) => row[column]!),
      values: Object.fromEntries(
        Object.entries(row).filter(([column]) => !this.fields[column]?.withheld),
      ),
    }))
  }

  get #words(): readonly Name<F>[] {
    return this.columns.filter((column) => this.fields[column]!.words)
  }

  #emptied(column: Name<F>): string {
    return this.#beyond.emptied?.[column] ?? (this.fields[column]!.null ? 'null' : "''")
  }

  #hasWords(): string {
    const conditions = this.#words.map(
      (column) => `${column} is distinct from ${this.#emptied(column)}`,
    )
    return conditions.join(' or ')
  }

  #emptying(): ListStatement {
    const set = this.#words.map((column) => `${column} = ${this.#emptied(column)}`).join(', ')
    return this.#statement('empty', this.key, (columns) =>
      updateStatement(
        this.name,
        columns,
        () => set,
        (given) => this.#isKey(given),
      ),
    )
  }

  #isKey(given: Record<string, string>): string {
    return this.key.map((name) => `${this.name}.${name} = ${given[name]}`).join(' and ')
  }

  #conflict(): string {
    return this.key.join(', ')
  }

  #findBy(columns: readonly Name<F>[]): ListStatement {
    return this.#statement(`find ${columns.join()}`, columns, (types) => {
      const selected = this.columns.map((column) => `${this.name}.${column}`).join(', ')
      const matches = columns.map((column) => `${this.name}.${column} = i.${column}`)
      return listStatement(
        types,
        `select ${selected} from input i join ${this.name} on ${matches.join(' and ')}`,
      )
    })
  }

  #insert(rest: string): ListStatement {
    return this.#statement(`insert ${rest}`, this.#stored, (columns) => {
      const counters = this.columns.filter((column) => this.fields[column]!.counter)
      const also = Object.fromEntries(counters.map((column) => [column, 0]))
      return insertStatement(this.name, columns, { also, rest })
    })
  }

  /** Sets columns of the rows with the same keys to `newValue` of the given one. */
  #update(
    what: string,
    changed: readonly Name<F>[],
    newValue: (column: Name<F>, given: string) => string,
  ): ListStatement {
    return this.#statement(what, [...this.key, ...changed], (columns) =>
      updateStatement(
        this.name,
        columns,
        (given) => changed.map((name) => `${name} = ${newValue(name, given[name]!)}`).join(', '),
        (given) => this.#isKey(given),
      ),
    )
  }

  /** Made once for each table and name: the engines prepare a statement once. */
  #statement(
    what: string,
    columns: readonly Name<F>[],
    make: (columns: InputColumns) => ListStatement,
  ): ListStatement {
    return this.#statements.getOrInsertComputed(what, () =>
      make(Object.fromEntries(columns.map((column) => [column, sqlTypeOf(this.fields[column]!)]))),
    )
  }

  async #each(sql: Sql, statement: ListStatement, rows: readonly object[]): Promise<Row<F>[]> {
    return queryEach(sql, statement, rows as readonly InputRow<InputColumns>[])
  }
}

/** The type of a field's column, by PostgreSQL's names. */
export function sqlTypeOf({ type }: Field): 'text' | 'bigint' | 'bytea' {
  if (type === 'bytes') return 'bytea'
  return type === 'line' || type === 'text' || type === 'link' || type === 'fids'
    ? 'text'
    : 'bigint'
}
