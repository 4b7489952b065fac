/** An answer that its client has not read whole. */
export type UnreadAnswer = {
  /** Ends it although it was not read. */
  reset(): void
}

/** What one client has not read. */
type Unread = { bytes: number; readonly answers: Map<UnreadAnswer, number> }

/** Bounds the bytes of answers that were not read, of one client and of all. Where all have too many, who has most loses them. */
export class UnreadBytes {
  readonly #total: number
  readonly #perClient: number
  readonly #clients = new Map<string, Unread>()
  #used = 0

  constructor(bounds: { readonly total: number; readonly perClient: number }) {
    this.#total = bounds.total
    this.#perClient = bounds.perClient
  }

  get used(): number {
    return this.#used
  }

  usedBy(client: string): number {
    return this.#clients.get(client)?.bytes ?? 0
  }

  /** Whether a client has all that it may have. */
  isFull(client: string): boolean {
    return this.usedBy(client) >= this.#perClient
  }

  /** Counts bytes of an answer, or returns false and counts nothing: when its client would have too many, or most of all. */
  tryAcquire(client: string, answer: UnreadAnswer, bytes: number): boolean {
    const usedByClient = this.usedBy(client) + bytes
    if (usedByClient > this.#perClient) return false
    if (this.#used + bytes > this.#total) {
      const [largest, { bytes: most }] = this.#largest()
      if (most <= usedByClient) return false
      this.#resetAll(largest)
    }
    this.#count(client, answer, bytes)
    return true
  }

  /** Counts bytes even beyond the bounds, because they exist already. */
  acquire(client: string, answer: UnreadAnswer, bytes: number): void {
    this.#count(client, answer, bytes)
    if (this.#used > this.#total) this.#resetAll(this.#largest()[0])
  }

  /** Counts bytes no more. Those of an answer that was reset are not counted already. */
  release(client: string, answer: UnreadAnswer, bytes: number): void {
    const unread = this.#clients.get(client)
    const left = unread?.answers.get(answer)
    if (!unread || left === undefined) return
    if (left > bytes) unread.answers.set(answer, left - bytes)
    else unread.answers.delete(answer)
    if (unread.answers.size === 0) this.#clients.delete(client)
    unread.bytes -= bytes
    this.#used -= bytes
  }

  #count(client: string, answer: UnreadAnswer, bytes: number): void {
    const unread = this.#clients.getOrInsertComputed(client, () => ({
      bytes: 0,
      answers: new Map(),
    }))
    unread.answers.set(answer, (unread.answers.get(answer) ?? 0) + bytes)
    unread.bytes += bytes
    this.#used += bytes
  }

  #largest(): [client: string, Unread] {
    let largest: [string, Unread] = ['', { bytes: 0, answers: new Map() }]
    for (const one of this.#clients) if (one[1].bytes > largest[1].bytes) largest = one
    return largest
  }

  /** Their memory is free as soon as they are reset, so they are forgotten at once. */
  #resetAll(client: string): void {
    const unread = this.#clients.get(client)
    if (!unread) return
    this.#clients.delete(client)
    this.#used -= unread.bytes
    for (const answer of unread.answers.keys()) answer.reset()
  }
}
