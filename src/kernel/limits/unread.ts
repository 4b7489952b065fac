import type { Counted } from './client.ts'

/** An answer that its client has not read whole. */
export type UnreadAnswer = {
  /** Ends it although it was not read. */
  reset(): void
}

/** What one client has not read. */
type Unread = {
  readonly client: Counted
  bytes: number
  readonly answers: Map<UnreadAnswer, number>
}

/**
 * Bounds the bytes of answers that were not read, of one client and of all. Where all have too many, the network with the
 * most loses those of its client with the most: the /64 of one site are not many clients.
 */
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
  isFull({ name }: Counted): boolean {
    return this.usedBy(name) >= this.#perClient
  }

  /** Counts bytes of an answer, or returns false and counts nothing: when its client would have too many, or most of all. */
  tryAcquire(client: Counted, answer: UnreadAnswer, bytes: number): boolean {
    if (this.usedBy(client.name) + bytes > this.#perClient) return false
    while (this.#used + bytes > this.#total) {
      const larger = this.#largerThan(client, bytes)
      if (!larger) return false
      this.#resetAll(larger)
    }
    this.#count(client, answer, bytes)
    return true
  }

  /** Counts bytes even beyond the bounds, because they exist already. */
  acquire(client: Counted, answer: UnreadAnswer, bytes: number): void {
    this.#count(client, answer, bytes)
    while (this.#used > this.#total) this.#resetAll(mostOf(this.#largestNetwork()))
  }

  /** Counts bytes no more. Those of an answer that was reset are not counted already. */
  release({ name }: Counted, answer: UnreadAnswer, bytes: number): void {
    const unread = this.#clients.get(name)
    const left = unread?.answers.get(answer)
    if (!unread || left === undefined) return
    if (left > bytes) unread.answers.set(answer, left - bytes)
    else unread.answers.delete(answer)
    if (unread.answers.size === 0) this.#clients.delete(name)
    unread.bytes -= bytes
    this.#used -= bytes
  }

  #count(client: Counted, answer: UnreadAnswer, bytes: number): void {
    const unread = this.#clients.getOrInsertComputed(client.name, () => ({
      client,
      bytes: 0,
      answers: new Map(),
    }))
    unread.answers.set(answer, (unread.answers.get(answer) ?? 0) + bytes)
    unread.bytes += bytes
    this.#used += bytes
  }

  /** Who gives way to so many more bytes of a client: of a network with more than its own, or of its own one with more than it. */
  #largerThan({ name, network }: Counted, more: number): Unread | undefined {
    if (this.#clients.size === 0) return undefined
    const largest = this.#largestNetwork()
    const most = mostOf(largest)
    if (most.client.network === network)
      return most.bytes > this.usedBy(name) + more ? most : undefined
    const own = [...this.#clients.values()].filter(({ client }) => client.network === network)
    return bytesOf(largest) > bytesOf(own) + more ? most : undefined
  }

  #largestNetwork(): readonly Unread[] {
    const networks = Map.groupBy(this.#clients.values(), ({ client }) => client.network)
    return [...networks.values()].reduce((most, one) => (bytesOf(one) > bytesOf(most) ? one : most))
  }

  /** Their memory is free as soon as they are reset, so they are forgotten at once. */
  #resetAll({ client, bytes, answers }: Unread): void {
    this.#clients.delete(client.name)
    this.#used -= bytes
    for (const answer of answers.keys()) answer.reset()
  }
}

const bytesOf = (clients: readonly Unread[]): number =>
  clients.reduce((sum, { bytes }) => sum + bytes, 0)

const mostOf = (clients: readonly Unread[]): Unread =>
  clients.reduce((most, one) => (one.bytes > most.bytes ? one : most))
