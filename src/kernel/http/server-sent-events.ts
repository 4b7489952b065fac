// Server-sent events (WHATWG HTML, "Server-sent events"): how frames are written, and how a stream is fed
// without queueing anything for readers that are slow.

import { Readable } from 'node:stream'
import { type Answer, content } from './route.ts'

export const EVENT_STREAM_TYPE = 'text/event-stream'

/** Proxies and browsers give connections up that are silent for longer. */
export const HEARTBEAT_MS = 15_000
/** A reader that takes nothing for this time while something waits for it is disconnected. */
const STALLED_READER_MS = 600_000

/** A frame. An `id` is what the reader sends back as Last-Event-ID; a frame of nothing else is no event. */
export function eventFrame(frame: {
  readonly id?: number
  /** The name of the event; without one browsers dispatch `message`. */
  readonly event?: string
  /** One line. */
  readonly data?: string
  /** Time after which a reader that lost its connection connects again. */
  readonly retryMs?: number
}): string {
  const { id, event, data, retryMs } = frame
  const lines = [
    ...(retryMs === undefined ? [] : [`retry: ${retryMs}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : [`data: ${data}`]),
  ]
  return `${lines.join('\n')}\n\n`
}

/**
 * The answer that sends a stream of frames. `no-transform`: a proxy that compresses it holds a compressor for each
 * reader, which is megabytes with zstd. `x-accel-buffering`: nginx sends each frame on at once.
 */
export const eventStreamAnswer = (stream: Readable, headers: Record<string, string> = {}): Answer =>
  content(stream, EVENT_STREAM_TYPE, {
    headers: {
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    },
  })

type PulledStream = {
  /** Sent at once. */
  readonly begin: string
  /** Waits for the next frames; undefined or an error ends the stream. Not called before the last are taken. */
  next(): Promise<Uint8Array | undefined>
  /** What is sent when nothing else was for HEARTBEAT_MS. */
  heartbeat(): string
  /** Called once, when the stream has ended in any way. */
  onClose(): void
  readonly heartbeatMs?: number
  readonly stalledMs?: number
}

/**
 * A stream that asks for more once its reader has taken everything: memory does not grow with slow readers,
 * and one that has stalled is disconnected.
 */
export function pulledStream(source: PulledStream): Readable {
  const { heartbeatMs = HEARTBEAT_MS, stalledMs = STALLED_READER_MS } = source
  let isPulling = false
  let lastMoveAt = performance.now()
  const stream = new Readable({
    // Nothing is read ahead of what the connection takes.
    highWaterMark: 0,
    read() {
      lastMoveAt = performance.now()
      if (isPulling) return
      isPulling = true
      source.next().then(
        (bytes) => {
          isPulling = false
          lastMoveAt = performance.now()
          if (!stream.destroyed) stream.push(bytes ?? null)
        },
        () => {
          if (!stream.destroyed) stream.push(null)
        },
      )
    },
  })
  const timer = setInterval(() => {
    const silentMs = performance.now() - lastMoveAt
    const isTaken = isPulling && stream.readableLength === 0
    if (!isTaken && silentMs >= stalledMs) stream.destroy()
    if (isTaken && silentMs >= heartbeatMs) {
      lastMoveAt = performance.now()
      stream.push(source.heartbeat())
    }
  }, heartbeatMs / 2).unref()
  stream.once('close', () => {
    clearInterval(timer)
    source.onClose()
  })
  stream.push(source.begin)
  return stream
}
