import type { Effects } from './fault.ts'

/** An event that waits for its neighbour is sent alone after this time. */
const NEIGHBOUR_WAIT_MS = 1_000

type Sink<T> = {
  send(events: T[]): void
  /** Cuts the connection. */
  cut(): void
}

/** The events of one stream on their way to the reader: twice, in another order, or only the first of them. */
export class BrokenStream<T> {
  readonly #effects: Effects
  readonly #sink: Sink<T>
  #left: number
  #held: T | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(effects: Effects, sink: Sink<T>) {
    this.#effects = effects
    this.#sink = sink
    this.#left = effects.dropStreamAfter ?? Number.POSITIVE_INFINITY
  }

  /** Called once the stream has begun. */
  begin(): void {
    if (this.#left === 0) this.#sink.cut()
  }

  take(event: T): void {
    const { reorder = false } = this.#effects
    if (reorder && this.#held === undefined) {
      this.#held = event
      this.#timer = setTimeout(() => this.#sendHeld(), NEIGHBOUR_WAIT_MS).unref()
      return
    }
    this.#send([event])
    this.#sendHeld()
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #sendHeld(): void {
    clearTimeout(this.#timer)
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) this.#send([held])
  }

  #send(events: T[]): void {
    if (this.#left <= 0) return
    const { duplicateEvents = false } = this.#effects
    this.#left -= events.length
    this.#sink.send(duplicateEvents ? events.flatMap((event) => [event, event]) : events)
    if (this.#left === 0) this.#sink.cut()
  }
}
