import { EVENT_IDS_PER_MS } from '../../../kernel/protocol/event-id.ts'
import { readEvent } from './events.ts'
import type { MessageStream } from './grpc-client.ts'
import type { Source } from './source.ts'

/** Events of the last minutes may arrive out of order, so these are read again. Ids are times. */
const AGAIN_IDS = 5 * 60_000 * EVENT_IDS_PER_MS
/** Events of the same moment may have come in another order. */
const DISORDER_IDS = 10_000 * EVENT_IDS_PER_MS
/** When no stored events come for so long, the live ones are passed on. */
const SILENCE_MS = 10_000
/** Live events that wait, and their bytes; when there are more, waiting begins again with the newest. */
const MAX_WAITING = 20_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024

type OnMessage = (bytes: Buffer) => void

/**
 * The events of Hubble after an id. A stream that begins with stored events loses what happens between the last of them and
 * its first live event. So a stream without stored events is opened first; its events wait until the other stream, with the
 * stored ones, has come past its beginning and is closed.
 */
export async function subscribeToHubble(
  source: Pick<Source, 'subscribe' | 'info'>,
  cursor: number,
  onMessage: OnMessage,
): Promise<MessageStream> {
  const stream = new JoinedStream(source, onMessage)
  try {
    // When this is answered, the first stream has begun.
    await source.info()
  } catch (error) {
    stream.close()
    throw error
  }
  stream.readStored(Math.max(0, cursor - AGAIN_IDS))
  return stream
}

class JoinedStream implements MessageStream {
  readonly #source: Pick<Source, 'subscribe'>
  readonly #onMessage: OnMessage
  readonly #end = Promise.withResolvers<void>()
  readonly #timer: NodeJS.Timeout
  #live: MessageStream
  /** Undefined when it has done its work. */
  #stored: MessageStream | undefined
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #isJoined = false
  #isSilent = false
  /** A stored event with this id shows that nothing before the first live event is left. */
  #goal = Number.POSITIVE_INFINITY

  constructor(source: Pick<Source, 'subscribe'>, onMessage: OnMessage) {
    this.#source = source
    this.#onMessage = onMessage
    // Whoever opens it may not wait for its end yet.
    this.ended.catch(() => {})
    this.#live = this.#openLive()
    this.#timer = setInterval(() => this.#checkSilence(), SILENCE_MS)
  }

  get ended(): Promise<void> {
    return this.#end.promise
  }

  readStored(fromId: number): void {
    const onMessage = (bytes: Buffer) => this.#takeStored(bytes)
    this.#stored = this.#source.subscribe(undefined, fromId, { onMessage })
    this.#endWith(this.#stored)
  }

  /** Live events that wait are read on: Hubble closes streams of slow readers. */
  pause(): void {
    const current = this.#stored ?? this.#live
    current.pause()
  }

  resume(): void {
    const current = this.#stored ?? this.#live
    current.resume()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#stored?.close()
    this.#live.close()
  }

  #openLive(): MessageStream {
    const live = this.#source.subscribe(undefined, undefined, {
      onMessage: (bytes) => this.#takeLive(bytes),
    })
    this.#endWith(live)
    return live
  }

  #endWith(stream: MessageStream): void {
    const isUsed = () => stream === this.#live || stream === this.#stored
    stream.ended.then(
      () => isUsed() && this.#end.resolve(),
      (error: unknown) => isUsed() && this.#end.reject(error),
    )
  }

  #takeStored(bytes: Buffer): void {
    if (this.#isJoined) return
    this.#isSilent = false
    this.#onMessage(bytes)
    if (readEvent(bytes).id >= this.#goal) this.#join()
  }

  #takeLive(bytes: Buffer): void {
    if (this.#isJoined) {
      this.#onMessage(bytes)
      return
    }
    if (this.#goal === Number.POSITIVE_INFINITY) this.#goal = readEvent(bytes).id + DISORDER_IDS
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    const isTooMuch = this.#waiting.length > MAX_WAITING || this.#waitingBytes > MAX_WAITING_BYTES
    if (isTooMuch) this.#waitAgain()
  }

  #join(): void {
    const stored = this.#stored
    this.#stored = undefined
    this.#isJoined = true
    clearInterval(this.#timer)
    stored?.close()
    this.#passOn()
  }

  #passOn(): void {
    this.#waitingBytes = 0
    for (const bytes of this.#waiting.splice(0)) this.#onMessage(bytes)
  }

  #waitAgain(): void {
    const old = this.#live
    this.#waiting = []
    this.#waitingBytes = 0
    this.#goal = Number.POSITIVE_INFINITY
    this.#live = this.#openLive()
    old.close()
  }

  /** The stored events are over, most likely; if not, they are applied later. */
  #checkSilence(): void {
    if (this.#isSilent && this.#stored) this.#passOn()
    this.#isSilent = true
  }
}
