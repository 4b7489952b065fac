import { Readable } from 'node:stream'
import { eventFrame, HEARTBEAT_MS } from '../../http/server-sent-events.ts'
import { clientOf } from '../../limits/client.ts'
import { ConcurrencyLimit } from '../../limits/concurrency.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { isExpired, type StoredKeyRequest } from '../../storage/tables/key-requests.ts'
import type { PlatformContext } from '../context.ts'
import { keyRequestReply } from './request-json.ts'
import { getAwaited } from './request-store.ts'

// Server-sent events of requests. One query reads the requests of all streams after each change that a process
// announces, and from time to time besides.

/** Changes within this time are read together. */
const MIN_LOOK_MS = 20
/** Time between looks while other processes cannot announce their changes. */
const UNANNOUNCED_LOOK_MS = 250
/** Then the stream ends and the client reconnects, which detects dead clients. */
const MAX_STREAM_MS = 600_000
const MAX_STREAMS = 1_000
/** For each client: an IPv4 address or an IPv6 /64. */
const MAX_STREAMS_PER_CLIENT = 50
/** A client with this much unread data is disconnected. */
const MAX_UNREAD_BYTES = 65_536
const RETRY_MS = 2_000

type Open = {
  readonly token: Uint8Array
  readonly stream: Readable
  told: string
  /** Both by performance.now(). */
  sentAt: number
  readonly endsAt: number
}

export type KeyRequestStreams = {
  /** Streams the state of a request and each change until a final state. The number of streams is limited. */
  open(token: Uint8Array, ip: string): Promise<Readable>
  close(): void
}

export function createStreams(context: PlatformContext): KeyRequestStreams {
  const all = new Set<Open>()
  const limit = new ConcurrencyLimit({ total: MAX_STREAMS, perClient: MAX_STREAMS_PER_CLIENT })
  const { signals } = context.storage
  let timer: NodeJS.Timeout | undefined
  /** When the timer fires, by performance.now(). */
  let timerAt = 0
  let lastLookAt = Number.NEGATIVE_INFINITY
  let ignoreSignals: (() => void) | undefined
  let isLooking = false
  /** Whether something was announced while a look was under way. */
  let isLookWanted = false
  let isClosed = false

  const tell = (open: Open, request: StoredKeyRequest | undefined) => {
    if (!request || isExpired(request, context.now())) return end(open)
    const text = JSON.stringify(keyRequestReply(context, request))
    if (text !== open.told) push(open, eventFrame({ data: text }))
    open.told = text
    if (request.state !== 'pending' && request.state !== 'approved') end(open)
  }
  const push = (open: Open, text: string) => {
    open.sentAt = performance.now()
    open.stream.push(text)
    if (open.stream.readableLength > MAX_UNREAD_BYTES) open.stream.destroy()
  }
  const end = (open: Open) => {
    forget(open)
    open.stream.push(null)
  }
  const forget = (open: Open) => {
    all.delete(open)
    if (all.size > 0) return
    clearTimeout(timer)
    timer = undefined
    ignoreSignals?.()
    ignoreSignals = undefined
  }

  /** Looks at this time, or earlier when that was asked for already. */
  const lookAt = (at: number) => {
    if (timer && timerAt <= at) return
    clearTimeout(timer)
    timerAt = at
    timer = setTimeout(() => void look(), Math.max(0, at - performance.now())).unref()
  }
  const onSignal = () => {
    if (isLooking) isLookWanted = true
    else lookAt(lastLookAt + MIN_LOOK_MS)
  }
  const look = async () => {
    timer = undefined
    isLooking = true
    isLookWanted = false
    lastLookAt = performance.now()
    try {
      const seen = [...all]
      const tokens = new Map(seen.map(({ token }) => [toHex(token), token]))
      const rows = await context.storage.keyRequests.byTokens([...tokens.values()])
      const byToken = new Map(rows.map((row) => [toHex(row.token), row]))
      for (const open of seen) {
        if (!all.has(open)) continue
        tell(open, byToken.get(toHex(open.token)))
        const now = performance.now()
        if (all.has(open) && now - open.sentAt >= HEARTBEAT_MS) push(open, ': still here\n\n')
        if (all.has(open) && now >= open.endsAt) end(open)
      }
    } catch (error) {
      context.onError(error, 'streams of key requests')
    } finally {
      isLooking = false
      const waitMs = isLookWanted ? MIN_LOOK_MS : Math.max(signals.pollMs, UNANNOUNCED_LOOK_MS)
      if (all.size > 0) lookAt(lastLookAt + waitMs)
    }
  }

  return {
    async open(token, ip) {
      const request = await getAwaited(context, token)
      if (isClosed) throw new Rejection('unavailable', 'the server is stopping')
      const client = clientOf(ip)
      if (!limit.tryAcquire(client)) {
        throw new Rejection('unavailable.overloaded', 'too many streams are open; poll instead')
      }
      const stream = new Readable({ read() {} })
      const sentAt = performance.now()
      const open: Open = { token, stream, told: '', sentAt, endsAt: sentAt + MAX_STREAM_MS }
      stream.once('close', () => {
        limit.release(client)
        forget(open)
      })
      all.add(open)
      push(open, eventFrame({ retryMs: RETRY_MS }))
      tell(open, request)
      if (all.size > 0) {
        ignoreSignals ??= signals.on('key requests', onSignal)
        // It may have changed since it was read, before this stream listened.
        onSignal()
      }
      return stream
    },
    close() {
      isClosed = true
      for (const open of all) end(open)
    },
  }
}
