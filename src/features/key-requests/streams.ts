import { Readable } from 'node:stream'
import { eventFrame, HEARTBEAT_MS } from '../../kernel/http/server-sent-events.ts'
import { readClient } from '../../kernel/limits/client.ts'
import { ConcurrencyLimit } from '../../kernel/limits/concurrency.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { KeyRequestContext } from './context.ts'
import { settled } from './gasless.ts'
import { keyRequestReply } from './request-json.ts'
import { getAwaited } from './request-store.ts'
import { isExpired, keyRequestRows, type StoredKeyRequest } from './tables/key-requests.ts'

// Server-sent events of requests. One query reads the requests of all streams after each change that a process
// announces, and from time to time besides.

/** Changes within this time are read together. */
const MIN_READ_INTERVAL_MS = 20
/** Time between reads while other processes cannot announce their changes. */
const UNANNOUNCED_INTERVAL_MS = 250
/** Then the stream ends and the client reconnects, which detects dead clients. */
const MAX_STREAM_MS = 600_000
const MAX_STREAMS = 1_000
/** For each client: an IPv4 address or an IPv6 /64; an IPv6 /48 may have four times as many. */
const MAX_STREAMS_PER_CLIENT = 50
/** A client with this much unread data is disconnected. */
const MAX_UNREAD_BYTES = 65_536
const RETRY_MS = 2_000

type Open = {
  readonly token: Uint8Array
  readonly stream: Readable
  /** The JSON that was sent last. */
  sent: string
  /** Both by performance.now(). */
  sentAt: number
  readonly endsAt: number
}

export class KeyRequestStreams {
  readonly #context: KeyRequestContext
  readonly #open = new Set<Open>()
  readonly #limit = new ConcurrencyLimit({ total: MAX_STREAMS, perClient: MAX_STREAMS_PER_CLIENT })
  #timer: NodeJS.Timeout | undefined
  /** When the timer fires, by performance.now(). */
  #timerAt = 0
  #lastReadAt = Number.NEGATIVE_INFINITY
  #ignoreSignals: (() => void) | undefined
  #isReading = false
  /** Whether a change was announced during a read. */
  #isReadWanted = false
  #isClosed = false

  constructor(context: KeyRequestContext) {
    this.#context = context
  }

  /** Streams the state of a request and each change until a final state. The number of streams is limited. */
  async open(token: Uint8Array, ip: string): Promise<Readable> {
    const request = await getAwaited(this.#context, token)
    if (this.#isClosed) throw new Rejection('unavailable', 'the server is stopping')
    const client = readClient(ip)
    if (!this.#limit.tryAcquire(client)) {
      throw new Rejection('unavailable.overloaded', 'too many streams are open; poll instead')
    }
    const stream = new Readable({ read() {} })
    const sentAt = performance.now()
    const open: Open = { token, stream, sent: '', sentAt, endsAt: sentAt + MAX_STREAM_MS }
    stream.once('close', () => {
      this.#limit.release(client)
      this.#remove(open)
    })
    this.#open.add(open)
    push(open, eventFrame({ retryMs: RETRY_MS }))
    this.#send(open, request)
    if (this.#open.size > 0) {
      const { signals } = this.#context.storage
      this.#ignoreSignals ??= signals.on('key requests', () => this.#onSignal())
      // It may have changed since it was read, before this stream listened.
      this.#onSignal()
    }
    return stream
  }

  close(): void {
    this.#isClosed = true
    for (const open of this.#open) this.#end(open)
  }

  #send(open: Open, request: StoredKeyRequest | undefined): void {
    if (!request || isExpired(request, this.#context.now())) {
      this.#end(open)
      return
    }
    const text = JSON.stringify(keyRequestReply(this.#context, request))
    if (text !== open.sent) push(open, eventFrame({ data: text }))
    open.sent = text
    if (request.state !== 'pending' && request.state !== 'approved') this.#end(open)
  }

  #end(open: Open): void {
    this.#remove(open)
    open.stream.push(null)
  }

  #remove(open: Open): void {
    this.#open.delete(open)
    if (this.#open.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#ignoreSignals?.()
    this.#ignoreSignals = undefined
  }

  #onSignal(): void {
    if (this.#isReading) this.#isReadWanted = true
    else this.#readAt(this.#lastReadAt + MIN_READ_INTERVAL_MS)
  }

  /** Reads at this time, or earlier when an earlier read is scheduled. */
  #readAt(at: number): void {
    if (this.#timer && this.#timerAt <= at) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => void this.#read(), Math.max(0, at - performance.now())).unref()
  }

  async #read(): Promise<void> {
    const { storage, onError } = this.#context
    this.#timer = undefined
    this.#isReading = true
    this.#isReadWanted = false
    this.#lastReadAt = performance.now()
    try {
      const open = [...this.#open]
      const tokens = new Map(open.map(({ token }) => [toHex(token), token]))
      const stored = await storage.of(keyRequestRows).byTokens([...tokens.values()])
      const rows = await settled(this.#context, stored)
      const byToken = new Map(rows.map((row) => [toHex(row.token), row]))
      for (const one of open) this.#update(one, byToken.get(toHex(one.token)))
    } catch (error) {
      onError(error, 'streams of key requests')
    } finally {
      this.#isReading = false
      const intervalMs = Math.max(storage.signals.pollMs, UNANNOUNCED_INTERVAL_MS)
      const waitMs = this.#isReadWanted ? MIN_READ_INTERVAL_MS : intervalMs
      if (this.#open.size > 0) this.#readAt(this.#lastReadAt + waitMs)
    }
  }

  #update(open: Open, request: StoredKeyRequest | undefined): void {
    if (this.#open.has(open)) this.#send(open, request)
    const now = performance.now()
    if (this.#open.has(open) && now - open.sentAt >= HEARTBEAT_MS) push(open, ': still here\n\n')
    if (this.#open.has(open) && now >= open.endsAt) this.#end(open)
  }
}

function push(open: Open, text: string): void {
  open.sentAt = performance.now()
  open.stream.push(text)
  if (open.stream.readableLength > MAX_UNREAD_BYTES) open.stream.destroy()
}
