/** Memory is taken in multiples of this, so that what one answer used fits most others. */
const STEP_BYTES = 256 * 1024

/**
 * Memory in which large answers are put together from texts with one character for each byte. It is used again
 * when an answer was sent, because new memory of this size costs more than the copying, and is given back late.
 */
export class AnswerMemory {
  readonly #maxFreeBytes: number
  readonly #free: ArrayBufferLike[] = []
  readonly #copies = new WeakSet<Uint8Array>()
  #freeBytes = 0

  /** `maxFreeBytes` are kept while no answer uses them. */
  constructor(maxFreeBytes: number) {
    this.#maxFreeBytes = maxFreeBytes
  }

  /** The bytes of texts that are `length` bytes together. To be released once they were sent. */
  join(texts: readonly string[], length: number): Buffer {
    const joined = Buffer.from(this.#take(length), 0, length)
    let at = 0
    for (const text of texts) at += joined.write(text, at, 'latin1')
    return joined
  }

  /**
   * Copies bytes into memory that is used again. The caller releases the copy once it was sent. The copy is shorter than
   * its buffer.
   */
  copy(bytes: Uint8Array): Uint8Array {
    const copied = Buffer.from(this.#take(bytes.length + 1), 0, bytes.length)
    copied.set(bytes)
    this.#copies.add(copied)
    return copied
  }

  /** Whether these bytes are a copy that may be released. */
  isCopy(bytes: Uint8Array): boolean {
    return this.#copies.has(bytes)
  }

  release(bytes: Uint8Array): void {
    const { buffer } = bytes
    this.#copies.delete(bytes)
    if (this.#freeBytes + buffer.byteLength > this.#maxFreeBytes) return
    this.#free.push(buffer)
    this.#freeBytes += buffer.byteLength
  }

  get freeBytes(): number {
    return this.#freeBytes
  }

  #take(length: number): ArrayBufferLike {
    const index = this.#free.findLastIndex(({ byteLength }) => byteLength >= length)
    if (index < 0) return Buffer.allocUnsafeSlow(Math.ceil(length / STEP_BYTES) * STEP_BYTES).buffer
    const [taken] = this.#free.splice(index, 1)
    this.#freeBytes -= taken!.byteLength
    return taken!
  }
}

const MAX_FREE_BYTES = 8 * 1024 * 1024

/** Of all interfaces of this process. */
export const answerMemory = new AnswerMemory(MAX_FREE_BYTES)
