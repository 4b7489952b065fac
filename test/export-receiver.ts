// A receiver of `rookery export --to http://…`, as docs/export.md describes one: it keeps the parts of a batch, and takes them
// when the row of `manifest` comes.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { TABLE_NAMES, type TableName } from '../src/features/exports/tables.ts'
import { type Row, type Tables, withChanges } from './export-support.ts'

/** What goes wrong with a request, before or after its rows are kept. */
export const FAULTS = [
  'breaks off',
  'refuses',
  'takes and refuses',
  'takes and breaks off',
] as const
export type Fault = (typeof FAULTS)[number] | undefined

type Part = { readonly table: TableName | 'manifest'; readonly rows: readonly Row[] }

const NO_CONTINUATION = 'it does not continue'

const noTables = (): Tables =>
  Object.fromEntries(TABLE_NAMES.map((table) => [table, []])) as unknown as Tables

export class Receiver {
  /** Of the next request. */
  fault: () => Fault = () => undefined
  tables = noTables()
  /** The last event of the newest batch. */
  position = 0
  /** Of all batches that count, in their order. */
  readonly taken: { readonly table: TableName; readonly row: Row }[] = []
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly bytes: number }[] = []
  readonly #batches = new Map<string, Map<number, Part>>()
  /** The newest batch that counts. */
  #newest = ''
  #server: Server | undefined
  #port = 0

  /** Starts, after an end on the same port. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch(({ message }) => {
        response.writeHead(message === NO_CONTINUATION ? 409 : 400).end(message)
      })
    })
    await new Promise<void>((listening) => server.listen(this.#port, '127.0.0.1', listening))
    this.#server = server
    this.#port = (server.address() as AddressInfo).port
  }

  /** Ends at once, with its connections. */
  async die(): Promise<void> {
    const server = this.#server!
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }

  /** What a backup has. */
  copy() {
    return { tables: this.tables, position: this.position }
  }
  restore({ tables, position }: ReturnType<Receiver['copy']>): void {
    this.tables = tables
    this.position = position
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/rows/{table}`
  }
  get positionUrl(): string {
    return `http://127.0.0.1:${this.#port}/position`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      response.end(this.position === 0 ? '' : `${this.position}\n`)
      return
    }
    const fault = this.fault()
    if (fault === 'breaks off') {
      request.once('data', () => request.socket.destroy())
      return
    }
    const body = await text(request).catch(() => undefined)
    // The follower was killed.
    if (body === undefined) return
    if (fault !== 'refuses') this.#take(request, body)
    if (fault === 'takes and breaks off') {
      request.socket.destroy()
      return
    }
    response.statusCode = fault === undefined ? 200 : 503
    response.end(fault ?? 'ok')
  }

  #take({ headers, url }: IncomingMessage, body: string): void {
    this.requests.push({ headers, bytes: Buffer.byteLength(body) })
    const table = headers['rookery-table'] as TableName | 'manifest'
    if (url !== `/rows/${table}`) throw new Error(`${url} for rows of ${table}`)
    const rows: Row[] = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const batch = headers['rookery-batch'] as string
    const parts = this.#batches.get(batch) ?? new Map<number, Part>()
    this.#batches.set(batch, parts)
    // Of a part that comes again, nothing is new.
    parts.set(Number(headers['rookery-part']), { table, rows })
    // It may have been taken, and the answer lost.
    if (table === 'manifest' && batch !== this.#newest) {
      this.#takeBatch(parts, rows[0]!)
      this.#newest = batch
    }
  }

  #takeBatch(parts: ReadonlyMap<number, Part>, manifest: Row): void {
    const { content, first_event_id: first, last_event_id: last } = manifest
    // And the row of `manifest` itself.
    if (parts.size !== (manifest.parts as number) + 1) throw new Error('a part is missing')
    const isWhole = content === 'everything'
    if (!isWhole && first !== this.position + 1) throw new Error(NO_CONTINUATION)
    const own = noTables()
    for (const { table, rows } of parts.values()) {
      if (table === 'manifest') continue
      for (const { batch: _, ...row } of rows) {
        own[table].push(row)
        this.taken.push({ table, row })
      }
    }
    this.tables = isWhole ? own : withChanges(this.tables, own)
    this.position = last as number
  }
}
