import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'

type Chunk = { readonly parts: readonly Buffer[]; joined?: Buffer }

/**
 * A body that is sent to many readers in chunks. Each chunk is joined when the first reader needs it, and all readers
 * get the same bytes. After `release`, readers who are not at the end yet have their chunks joined one by one: a slow
 * reader of an old body holds the chunks that wait in its connection, and not all of the body.
 */
export class SharedChunks {
  readonly byteLength: number
  readonly #chunks: readonly Chunk[]
  #isReleased = false

  constructor(parts: readonly Buffer[], chunkBytes: number) {
    this.byteLength = parts.reduce((sum, { length }) => sum + length, 0)
    this.#chunks = chunked(parts, chunkBytes)
  }

  stream(): Readable {
    let next = 0
    const read = () => (next < this.#chunks.length ? this.#read(this.#chunks[next++]!) : null)
    return new Readable({
      // Nothing is read ahead: a reader that stands still holds one chunk.
      highWaterMark: 0,
      read() {
        this.push(read())
      },
    })
  }

  /** Lets go of the joined chunks, because another body replaces this one. */
  release(): void {
    this.#isReleased = true
    for (const chunk of this.#chunks) delete chunk.joined
  }

  #read(chunk: Chunk): Buffer {
    if (this.#isReleased) return Buffer.concat(chunk.parts)
    chunk.joined ??= Buffer.concat(chunk.parts)
    return chunk.joined
  }
}

/** Each chunk ends with the part that reaches `chunkBytes`. */
function chunked(parts: readonly Buffer[], chunkBytes: number): Chunk[] {
  const chunks: Chunk[] = []
  for (let start = 0, end = 0; start < parts.length; start = end) {
    for (let size = 0; size < chunkBytes && end < parts.length; end++) size += parts[end]!.length
    chunks.push({ parts: parts.slice(start, end) })
  }
  return chunks
}
