import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'

/** Bytes of replaced bodies that readers hold, together, and the most. */
export type HeldBytes = { bytes: number; readonly most: number }

/** A body as one reader gets it. */
export type OpenBody = {
  readonly content: Buffer | Readable
  /** To be called when the reader has received it or has disconnected. */
  readonly onClose?: () => void
}

/**
 * A body that is sent to many readers: one write hands the same bytes to each connection, which makes no copy of them. A
 * slow reader keeps them in memory after another body has replaced this one. Such bytes are bounded: while too many are
 * held, readers get their body in chunks, each of which is joined when it is sent.
 */
export class SharedBody {
  readonly byteLength: number
  readonly #parts: readonly Buffer[]
  readonly #held: HeldBytes
  #joined: Buffer | undefined
  #readers = 0
  #isReplaced = false

  constructor(parts: readonly Buffer[], held: HeldBytes) {
    this.byteLength = parts.reduce((sum, { length }) => sum + length, 0)
    this.#parts = parts
    this.#held = held
  }

  open(): OpenBody {
    const { bytes, most } = this.#held
    if (this.#isReplaced || (bytes > 0 && bytes + this.byteLength > most)) {
      // Nothing is read ahead: a reader that stands still holds one chunk.
      return {
        content: Readable.from(chunksOf(this.#parts), { objectMode: false, highWaterMark: 0 }),
      }
    }
    this.#joined ??= Buffer.concat(this.#parts)
    this.#readers += 1
    return { content: this.#joined, onClose: () => this.#close() }
  }

  /** Lets go of the joined bytes, because another body replaces this one. */
  replace(): void {
    this.#isReplaced = true
    this.#joined = undefined
    if (this.#readers > 0) this.#held.bytes += this.byteLength
  }

  #close(): void {
    this.#readers -= 1
    if (this.#isReplaced && this.#readers === 0) this.#held.bytes -= this.byteLength
  }
}

const CHUNK_BYTES = 1024 * 1024

/** Each chunk ends with the part that reaches CHUNK_BYTES. */
function* chunksOf(parts: readonly Buffer[]): Generator<Buffer> {
  for (let start = 0, end = 0; start < parts.length; start = end) {
    for (let size = 0; size < CHUNK_BYTES && end < parts.length; end++) size += parts[end]!.length
    yield Buffer.concat(parts.slice(start, end))
  }
}
