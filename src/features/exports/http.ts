import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Backoff, backoffMs } from '../../kernel/base/backoff.ts'
import { visibleText } from '../../kernel/platform/visible-text.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import { ExportRefused, RETRY, TargetAway } from './export.ts'
import { jsonRow } from './formats.ts'
import { readItems, type UnreadItem } from './message-rows.ts'
import { type ManifestHead, RowCounts, type Sink, type TableSummary } from './sink.ts'
import { type Item, type TableName, tableOf } from './tables.ts'

/** A body ends after the row that reaches this. A row has at most some 100 KiB. */
export const BODY_BYTES = 1024 * 1024
/** Of one request: some six minutes where answers are quick. Then an export ends, and a follower begins another batch. */
export const TRIES = 15
/** Of one request, to the end of its answer. */
const REQUEST_TIMEOUT_MS = 60_000
/** More of an answer is not read. */
const ANSWER_CHARACTERS = 300

export type Endpoint = {
  /** Takes rows by POST. `{table}` in it becomes the name of their table. */
  readonly url: string
  /** Answers a GET with the last event of the newest whole batch; nothing or 0: there is none. */
  readonly position: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** Ends the tries. A request that succeeds is never cut. */
  readonly stop?: AbortSignal
  readonly onFailure?: (text: string) => void
  /** Between the tries of a request. */
  readonly retry?: Backoff
}

/** The last event that a receiver has; undefined: it has nothing yet. */
export async function positionAt(endpoint: Endpoint): Promise<number | undefined> {
  const { position, headers } = endpoint
  if (position === undefined) {
    throw new ExportRefused(
      '--follow into an HTTP endpoint needs --position: the URL that says the last event that it has',
    )
  }
  const text = await ask(endpoint, position, { headers })
  if (/^\d*$/.test(text)) return Number(text) || undefined
  throw new ExportRefused(`--position answered ${JSON.stringify(text)}, which is no event id`)
}

/** Sends rows to an HTTP endpoint as NDJSON. They count once the row of `manifest` is there, which is sent last. */
export class HttpSink implements Sink {
  readonly #endpoint: Endpoint
  readonly #batch = randomUUID()
  readonly #bodies = new Map<TableName, string[]>()
  readonly #sizes = new Map<TableName, number>()
  readonly #rows = new RowCounts()
  #parts = 0

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  async write(items: readonly (Item | UnreadItem)[]): Promise<void> {
    for (const { table, row } of readItems(items)) {
      const line = this.#lineOf(jsonRow(tableOf(table), row))
      const lines = this.#bodies.get(table) ?? []
      lines.push(line)
      this.#bodies.set(table, lines)
      this.#rows.add(table, 1)
      const size = (this.#sizes.get(table) ?? 0) + Buffer.byteLength(line)
      this.#sizes.set(table, size)
      if (size >= BODY_BYTES) await this.#sendTable(table)
    }
  }

  async finish(head: ManifestHead): Promise<Record<TableName, TableSummary>> {
    for (const table of this.#bodies.keys()) await this.#sendTable(table)
    const manifest = {
      parts: this.#parts,
      content: head.content,
      network: head.network,
      version: head.version,
      tables_version: head.tablesVersion,
      first_event_id: head.firstEventId,
      last_event_id: head.lastEventId,
      finished_at: new Date().toISOString(),
    }
    await this.#send('manifest', this.#lineOf(manifest))
    return this.#rows.summary()
  }

  /** What was sent is of a batch that never counts. */
  async abort(): Promise<void> {}

  #lineOf(row: object): string {
    return `${JSON.stringify({ batch: this.#batch, ...row })}\n`
  }

  async #sendTable(table: TableName): Promise<void> {
    const lines = this.#bodies.get(table)!
    this.#bodies.delete(table)
    this.#sizes.delete(table)
    await this.#send(table, lines.join(''))
  }

  async #send(table: TableName | 'manifest', body: string): Promise<void> {
    this.#parts++
    await ask(this.#endpoint, this.#endpoint.url.replaceAll('{table}', table), {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        'rookery-table': table,
        'rookery-batch': this.#batch,
        'rookery-part': String(this.#parts),
        ...this.#endpoint.headers,
      },
      body,
    })
  }
}

/** The beginning of an answer of 2xx. What may pass is tried again until then, some times. */
async function ask(endpoint: Endpoint, url: string, init: RequestInit): Promise<string> {
  const { stop, onFailure, retry = RETRY } = endpoint
  for (let failures = 1; ; failures++) {
    const tried = await tryOnce(url, init)
    if (typeof tried === 'string') return tried
    stop?.throwIfAborted()
    const { pathname, host } = new URL(url)
    const text = `${host}${pathname} ${tried.what}`
    if (tried.next === 'end') throw new ExportRefused(text)
    if (tried.next === 'new batch' || failures === TRIES) throw new TargetAway(text)
    const waitMs = Math.max(backoffMs(retry, failures), Math.min(tried.waitMs, retry.maxMs))
    onFailure?.(`${text}; the next try is in ${Math.ceil(waitMs / SECOND_MS)} s`)
    // The reason of the signal is thrown above.
    await delay(waitMs, undefined, { ...(stop && { signal: stop }) }).catch(() => {})
    stop?.throwIfAborted()
  }
}

type Failed = {
  readonly what: string
  readonly next: 'same request' | 'new batch' | 'end'
  readonly waitMs: number
}

async function tryOnce(url: string, init: RequestInit): Promise<string | Failed> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  try {
    // A redirect would send the rows where nobody asked for them.
    const response = await fetch(url, { ...init, signal, redirect: 'manual' })
    const text = await beginningOf(response)
    if (response.ok) return text
    return {
      what: `answered ${response.status}: ${JSON.stringify(text)}`,
      next: nextOf(response.status),
      waitMs: Number(response.headers.get('retry-after') ?? 0) * SECOND_MS || 0,
    }
  } catch (error) {
    const { message, cause } = error as Error
    return {
      what: `cannot be reached: ${cause instanceof Error ? cause.message : message}`,
      next: isOfNetwork(error as Error) ? 'same request' : 'end',
      waitMs: 0,
    }
  }
}

/** Request Timeout, Too Early, Too Many Requests. */
const PASSING = [408, 425, 429]
/** The batch does not continue what the receiver has. */
const CONFLICT = 409

function nextOf(status: number): Failed['next'] {
  if (status >= 500 || PASSING.includes(status)) return 'same request'
  return status === CONFLICT ? 'new batch' : 'end'
}

/** Otherwise `fetch` refuses the request itself, and so it does each time: a blocked port, say. */
function isOfNetwork({ name, cause }: Error): boolean {
  const { code } = (cause ?? {}) as { code?: unknown }
  return name === 'TimeoutError' || (typeof code === 'string' && !REFUSING.includes(code))
}
/** What `fetch` says of requests that it cannot send. */
const REFUSING = [
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]

async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length >= ANSWER_CHARACTERS) break
  }
  return visibleText(text.slice(0, ANSWER_CHARACTERS))
}
