import { KIB, MIB } from '../protocol/sizes.ts'

/** A smaller answer is cheaper as memory of its own. */
const LEAST_BYTES = 4 * KIB
/** A page of a thousand usual events takes less. Larger answers are rare. */
const MOST_BYTES = MIB
/** What is kept while nobody needs it: pages of 100 casts for 64 readers. */
const MAX_IDLE_BYTES = 8 * MIB

/** Bytes of one answer. Whoever sends them gives them back, once the system has them or their reader has gone. */
export class LentBytes {
  readonly bytes: Buffer
  #giveBack: (() => void) | undefined

  constructor(bytes: Buffer, giveBack: () => void) {
    this.bytes = bytes
    this.#giveBack = giveBack
  }

  get length(): number {
    return this.bytes.length
  }

  /** What the bytes keep from others, which is more than they are. */
  get heldBytes(): number {
    return this.bytes.buffer.byteLength
  }

  /** Lets another answer have the memory. Bytes that are not given back are collected as garbage. */
  giveBack(): void {
    this.#giveBack?.()
    this.#giveBack = undefined
  }
}

/**
 * Memory for answers, which is used again. New memory for each answer has to be mapped, cleared and collected,
 * which took a third of the processor time of a page of past events.
 */
export class AnswerMemory {
  /** By size, a power of two. What was used last is used next: it is in the caches of the processor. */
  readonly #idle = new Map<number, Buffer[]>()
  #idleBytes = 0

  get idleBytes(): number {
    return this.#idleBytes
  }

  /** A copy of what was written. */
  copyOf(written: Uint8Array): Uint8Array | LentBytes {
    if (written.length < LEAST_BYTES || written.length > MOST_BYTES) return Buffer.from(written)
    const size = 2 ** Math.ceil(Math.log2(written.length))
    const memory = this.#take(size)
    memory.set(written)
    return new LentBytes(memory.subarray(0, written.length), () => this.#put(size, memory))
  }

  #take(size: number): Buffer {
    const found = this.#idle.get(size)?.pop()
    if (found) this.#idleBytes -= size
    return found ?? Buffer.allocUnsafeSlow(size)
  }

  #put(size: number, memory: Buffer): void {
    if (this.#idleBytes + size > MAX_IDLE_BYTES) return
    this.#idleBytes += size
    this.#idle.getOrInsertComputed(size, () => []).push(memory)
  }
}
