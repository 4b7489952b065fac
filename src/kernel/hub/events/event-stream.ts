import type { Readable } from 'node:stream'
import type { RequestInfo } from '../../http/route.ts'
import { eventFrame, pulledStream } from '../../http/server-sent-events.ts'
import { readClient } from '../../limits/client.ts'
import { ConcurrencyLimit } from '../../limits/concurrency.ts'
import { waitForBudget } from '../../limits/cost-budget.ts'
import { concatBytes } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { EventFeed, FeedEventInfo, FeedRequest } from './event-feed.ts'

/** Streams of all clients of a process. */
const MAX_STREAMS = 4_096
const RETRY_MS = 2_000

type StreamRequest = {
  /** The first wanted id; undefined for what happens from now on. */
  readonly fromId: number | undefined
  /** The Last-Event-ID header: the last id that the reader has. It wins over `fromId`. */
  readonly lastEventId: string | string[] | undefined
  readonly matches: ((event: FeedEventInfo) => boolean) | undefined
  /** The client's address. */
  readonly ip: string
  /** Charged for the bytes that are sent. */
  readonly budget?: Pick<RequestInfo, 'consume' | 'debtMs'>
}

export type EventStreams = {
  /** Streams events as server-sent events. Throws a Rejection when a client has too many streams. */
  open(request: StreamRequest): Promise<Readable>
}

type EventStreamOptions = {
  readonly feed: EventFeed
  /** Streams of one client at a time: of an IPv4 address or an IPv6 /64. An IPv6 /48 has four times as many at most. */
  readonly maxPerClient: number
  readonly heartbeatMs?: number
  readonly stalledMs?: number
}

export function createEventStreams(options: EventStreamOptions): EventStreams {
  const { feed, maxPerClient, heartbeatMs, stalledMs } = options
  const limit = new ConcurrencyLimit({ total: MAX_STREAMS, perClient: maxPerClient })

  return {
    async open({ fromId, lastEventId, matches, ip, budget }) {
      const lastId = lastIdOf(lastEventId)
      const client = readClient(ip)
      if (!limit.tryAcquire(client)) {
        throw new Rejection('unavailable.overloaded', 'too many event streams are open')
      }
      const abort = new AbortController()
      const end = () => {
        abort.abort()
        limit.release(client)
      }
      const request: FeedRequest = {
        // The id 0 is given out before the first event; nothing was missed before it.
        fromId: lastId ? lastId + 1 : (lastId ?? fromId),
        field: lastId === undefined ? 'from_event_id' : 'Last-Event-ID',
        ...(matches && { matches }),
        format: 'server-sent',
        signal: abort.signal,
      }
      try {
        const subscription = await feed.subscribe(request)
        return pulledStream({
          begin: beginning(subscription.position, subscription.oldestId),
          async next() {
            const events = await subscription.next()
            if (events.length === 0) return undefined
            const bytes = concatBytes(...events.map(({ serverSentBytes }) => serverSentBytes))
            budget?.consume(bytes.length)
            if (budget) await waitForBudget(() => budget.debtMs(), abort.signal)
            return bytes
          },
          // The id lets a reader whose filter matches little begin here when it connects again.
          heartbeat: () => eventFrame({ id: subscription.position }),
          onClose: end,
          ...(heartbeatMs !== undefined && { heartbeatMs }),
          ...(stalledMs !== undefined && { stalledMs }),
        })
      } catch (error) {
        end()
        throw error
      }
    },
  }
}

/** A reader that loses its connection before the first event continues from here. */
function beginning(position: number, oldestId: number | undefined): string {
  const begin = eventFrame({ retryMs: RETRY_MS, id: position })
  if (oldestId === undefined) return begin
  return begin + eventFrame({ event: 'pruned', data: JSON.stringify({ oldestEventId: oldestId }) })
}

const EVENT_ID = /^[0-9]{1,16}$/

function lastIdOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined
  const id = typeof header === 'string' && EVENT_ID.test(header) ? Number(header) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  throw new Rejection('bad_request.invalid_param', 'Last-Event-ID must be the id of an event', {
    field: 'Last-Event-ID',
  })
}
