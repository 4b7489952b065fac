import { Readable } from 'node:stream'
import { ClientBudget, clientOf } from '../../http/client-budget.ts'
import { eventFrame, HEARTBEAT_MS } from '../../http/server-sent-events.ts'
import { toHex } from '../../protocol/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { StoredKeyRequest } from '../../storage/key-requests.ts'
import type { PlatformContext } from '../context.ts'
import { keyRequestReply } from './request-json.ts'
import { getRequest } from './request-store.ts'

// Server-sent events of requests. One query polls the database for all streams, so that changes by other processes
// are seen, too.

const LOOK_INTERVAL_MS = 250
const KEEP_ALIVE_LOOKS = HEARTBEAT_MS / LOOK_INTERVAL_MS
/** Then the stream ends and the client reconnects, which detects dead clients. */
const MAX_LOOKS = 600_000 / LOOK_INTERVAL_MS
const MAX_STREAMS = 1_000
/** Of an IPv4 address or an IPv6 /64. */
const MAX_STREAMS_PER_CLIENT = 50
/** A client with this much unread data is disconnected. */
const MAX_UNREAD_BYTES = 65_536
const RETRY_MS = 2_000

type Open = {
  readonly token: Uint8Array
  readonly stream: Readable
  told: string
  looks: number
}

export type KeyRequestStreams = {
  /** Streams the state of a request and each change until a final state. The number of streams is limited. */
  open(token: Uint8Array, ip: string): Promise<Readable>
  close(): void
}

export function createStreams(context: PlatformContext): KeyRequestStreams {
  const all = new Set<Open>()
  const budget = new ClientBudget({ total: MAX_STREAMS, perClient: MAX_STREAMS_PER_CLIENT })
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isClosed = false

  const tell = (open: Open, request: StoredKeyRequest | undefined) => {
    if (!request) return end(open)
    const text = JSON.stringify(keyRequestReply(context, request))
    if (text !== open.told) push(open, eventFrame({ data: text }))
    open.told = text
    if (request.state !== 'pending' && request.state !== 'approved') end(open)
  }
  const push = (open: Open, text: string) => {
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
    clearInterval(timer)
    timer = undefined
  }

  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      const seen = [...all]
      const tokens = new Map(seen.map(({ token }) => [toHex(token), token]))
      const rows = await context.storage.keyRequests.byTokens([...tokens.values()])
      const byToken = new Map(rows.map((row) => [toHex(row.token), row]))
      for (const open of seen) {
        if (!all.has(open)) continue
        tell(open, byToken.get(toHex(open.token)))
        open.looks += 1
        if (open.looks % KEEP_ALIVE_LOOKS === 0 && all.has(open)) push(open, ': still here\n\n')
        if (open.looks >= MAX_LOOKS && all.has(open)) end(open)
      }
    } catch (error) {
      context.onError(error, 'streams of key requests')
    } finally {
      isLooking = false
    }
  }

  return {
    async open(token, ip) {
      const request = await getRequest(context, token)
      if (isClosed) throw new Rejection('unavailable', 'the server is stopping')
      const client = clientOf(ip)
      if (!budget.take(client, 1)) {
        throw new Rejection('unavailable.overloaded', 'too many streams are open; poll instead')
      }
      const stream = new Readable({ read() {} })
      const open: Open = { token, stream, told: '', looks: 0 }
      stream.once('close', () => {
        budget.release(client, 1)
        forget(open)
      })
      all.add(open)
      push(open, eventFrame({ retryMs: RETRY_MS }))
      tell(open, request)
      if (all.size > 0) timer ??= setInterval(look, LOOK_INTERVAL_MS).unref()
      return stream
    },
    close() {
      isClosed = true
      for (const open of all) end(open)
    },
  }
}
