import postgres from 'postgres'
import {
  type Engine,
  type InputColumns,
  type InputRow,
  type ListStatement,
  type Row,
  type Sql,
  type SqlValue,
  withBytesAs,
} from './sql.ts'

const MAX_CONNECTIONS = 10
/** No statement of ours takes nearly as long, so one that does waits for something that is stuck. */
const STATEMENT_TIMEOUT_MS = 60_000
const CONNECT_TIMEOUT_SECONDS = 10
/**
 * After a lost connection, until the next attempt. What is asked meanwhile waits for it: the client's
 * own choice, up to 20 seconds, is longer than callers do.
 */
const RECONNECT_SECONDS = 0.5
/** How often a transaction is tried again after another one made it impossible. */
const MAX_ATTEMPTS = 5
/** serialization_failure and deadlock_detected: nothing was written, the same work may succeed now. */
const RETRYABLE = new Set(['40001', '40P01'])

/**
 * Opens a store on PostgreSQL, or on what speaks its protocol. Only row locks inside transactions are
 * used, so any number of processes may share it.
 */
export function openPostgres(url: string): Engine {
  const client = postgres(url, {
    max: MAX_CONNECTIONS,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    backoff: () => RECONNECT_SECONDS,
    onnotice: () => {},
    // A commit has reached the disk, whatever the server's default is.
    connection: {
      application_name: 'rookery',
      synchronous_commit: 'on',
      statement_timeout: STATEMENT_TIMEOUT_MS,
    },
    types: {
      // Every 64-bit integer of ours stays below 2^53.
      bigint: { to: 20, from: [20], serialize: String, parse: Number },
    },
  })
  const reads = verbs(client)
  return {
    kind: 'postgres',
    all: reads.all,
    each: reads.each,
    async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        try {
          return (await client.begin((tx) => work(verbs(tx)))) as T
        } catch (error) {
          const code = (error as { code?: string }).code ?? ''
          if (attempt === MAX_ATTEMPTS || !RETRYABLE.has(code)) throw error
        }
      }
    },
    async sizeBytes() {
      const [row] = await reads.all('select pg_database_size(current_database()) as size')
      return Number(row?.size ?? 0)
    },
    close: () => client.end({ timeout: 5 }),
  }
}

type Client = Pick<postgres.Sql, 'unsafe'>

function verbs(client: Client): Sql {
  const run = (text: string, parameters: unknown[]) =>
    client.unsafe(text, parameters as never[], { prepare: true }) as unknown as Promise<Row[]>
  return {
    async all(text, parameters = []) {
      return run(numbered(text), [...parameters])
    },
    async each<C extends InputColumns>(
      statement: ListStatement<C>,
      rows: readonly InputRow<C>[],
    ): Promise<Row[]> {
      if (rows.length === 0) return []
      const columns = Object.keys(statement.columns)
      return run(
        listText(statement),
        columns.map((column) => arrayLiteral(rows.map((row) => (row as Row)[column] ?? null))),
      )
    },
  }
}

/** PostgreSQL's text form of an array; the statement casts it to the column's type. */
function arrayLiteral(values: SqlValue[]): string {
  return `{${values.map(arrayElement).join(',')}}`
}

function arrayElement(value: SqlValue): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`
  return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}"`
}

const numberedTexts = new Map<string, string>()

/** `?` becomes `$1`, `$2`, ... in order of appearance. */
function numbered(text: string): string {
  let result = numberedTexts.get(text)
  if (result === undefined) {
    let count = 0
    result = withBytesAs('bytea', text).replace(/\?/g, () => `$${++count}`)
    numberedTexts.set(text, result)
  }
  return result
}

const listTexts = new Map<ListStatement, string>()

function listText(statement: ListStatement): string {
  let text = listTexts.get(statement)
  if (text === undefined) {
    const columns = Object.keys(statement.columns)
    const arrays = columns.map((column, i) => `$${i + 1}::${statement.columns[column]}[]`)
    const source = `select * from unnest(${arrays.join(', ')})`
    text = `with recursive input(${columns.join(', ')}) as (${source}) ${withBytesAs('bytea', statement.text)}`
    listTexts.set(statement, text)
  }
  return text
}
