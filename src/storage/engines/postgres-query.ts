import type pg from 'pg'
import type { Row } from './sql.ts'

// The library asks the server to describe the columns of a prepared statement each time it runs. What the first time said
// holds for as long as the connection: a statement whose columns would change fails with an error of its own.

/** The parts of the library's query that its types leave out. */
type Query = pg.Submittable & {
  readonly name: string
  readonly values: readonly unknown[]
  readonly _result: { fields: pg.FieldDef[]; addRow(row: Row): void }
  _canceledDueToError: Error | false
  prepare(connection: Wire): void
  handleRowDescription(message: { fields: pg.FieldDef[] }): void
  handleDataRow(message: { fields: (string | null)[] }): void
  handleReadyForQuery(connection: Wire): void
}
/** The library's connection, which writes the messages of the protocol. */
type Wire = {
  bind(message: object): void
  execute(message: object): void
  sync(): void
}

type Parser = (text: string) => Row[string]
type Column = { readonly name: string; readonly parse: Parser }
type Described = { readonly fields: pg.FieldDef[]; readonly columns: Column[] }

export type PreparedStatement = {
  readonly text: string
  readonly name: string
  readonly values?: readonly unknown[]
}
/** The columns of the prepared statements of a connection, by name. */
export type KnownColumns = Map<string, Described>
type Callback = (error: Error | undefined, result: pg.QueryResult<Row>) => void

type PreparedQueryClass = new (
  statement: PreparedStatement,
  known: KnownColumns,
  callback: Callback,
) => pg.Submittable

/** Makes the class of queries of prepared statements for the library and its parsers of texts. */
export function preparedQueryClass(
  library: typeof pg,
  parserOf: (oid: number) => Parser,
): PreparedQueryClass {
  const LibraryQuery = library.Query as unknown as new (
    statement: PreparedStatement,
    callback: Callback,
  ) => Query

  return class PreparedQuery extends LibraryQuery {
    readonly #known: KnownColumns
    #columns: Column[] | undefined

    constructor(statement: PreparedStatement, known: KnownColumns, callback: Callback) {
      super(statement, callback)
      this.#known = known
    }

    override prepare(wire: Wire): void {
      const statement = this.#known.get(this.name)
      if (statement) this.#run(statement, wire)
      else super.prepare(wire)
    }

    #run({ fields, columns }: Described, wire: Wire): void {
      this.#columns = columns
      this._result.fields = fields
      wire.bind({ statement: this.name, values: this.values, valueMapper: asSent })
      wire.execute({})
      wire.sync()
    }

    override handleDataRow(message: { fields: (string | null)[] }): void {
      const columns = this.#columns
      if (!columns) super.handleDataRow(message)
      else if (columns.length === message.fields.length) {
        this._result.addRow(rowOf(columns, message.fields))
      } else this._canceledDueToError ||= new ChangedColumns()
    }

    override handleReadyForQuery(wire: Wire): void {
      if (!this.#columns && !this._canceledDueToError) {
        const { fields } = this._result
        const columns = fields.map(({ name, dataTypeID: oid }) => ({ name, parse: parserOf(oid) }))
        this.#known.set(this.name, { fields, columns })
      }
      super.handleReadyForQuery(wire)
    }
  }
}

/** A pooler has prepared the statement again, on a server whose tables have changed meanwhile. */
class ChangedColumns extends Error {
  /** What PostgreSQL itself answers then: feature_not_supported. */
  readonly code = '0A000'

  constructor() {
    super('the columns of a prepared statement have changed')
  }
}

/** Columns are few and in the same order each time, so that all rows of a statement have one shape. */
function rowOf(columns: readonly Column[], values: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let i = 0; i < columns.length; i++) {
    const { name, parse } = columns[i]!
    const value = values[i]!
    row[name] = value === null ? null : parse(value)
  }
  return row
}

/** Bytes are sent as they are, everything else as text. */
function asSent(value: unknown): Buffer | string | null {
  if (value === null) return null
  if (!(value instanceof Uint8Array)) return String(value)
  return Buffer.isBuffer(value)
    ? value
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}
