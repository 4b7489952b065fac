// The open calls of each client. Behind a trusted proxy that is the client that it names.

import { type Counted, readClient } from '../limits/client.ts'
import type { UnreadAnswer, UnreadBytes } from '../limits/unread.ts'

/** Open calls of one client, and of its network: those of a program with many connections. Subscribe has a limit of its own. */
const MAX_STREAMS_PER_CLIENT = 2_048
/** The same of all: with 8 KiB of headers each they hold 64 MiB. */
const MAX_STREAMS = 8_192
/** Calls of one client that are handled at a time when each may add an answer of 4 MiB. */
const MAX_PAGES_PER_CLIENT = 8
/** Calls of one client in debt that wait for their refusal. */
const MAX_LATE_REFUSALS = 64

export type ClientBounds = {
  readonly streams: number
  readonly streamsPerClient: number
  readonly pagesPerClient: number
}

/** One client, while it has open calls. */
export type Client = {
  readonly name: string
  /** Open calls of its whole network are bounded, too: the /64 of one site are not many clients. */
  readonly network: string
  streams: number
  lateRefusals: number
  pages: number
  readonly unread: Set<UnreadAnswer>
  /** Calls that wait to be handled, in the order in which they came. */
  readonly waiting: Waiting[]
}

/** A call that answers a page counts as one, a short one as none. */
type Waiting = { readonly pages: number; begin(): void }

/** Counts open calls and unread bytes by client and in all. */
export class Clients {
  readonly #bounds: ClientBounds
  /** Bytes of answers that were not read yet; those over HTTP count too. */
  readonly #unread: UnreadBytes
  readonly #clients = new Map<string, Client>()
  readonly #streamsOf = new Map<string, number>()
  #streams = 0
  #unreadBytes = 0

  constructor(unread: UnreadBytes, bounds: Partial<ClientBounds> = {}) {
    this.#unread = unread
    this.#bounds = {
      streams: MAX_STREAMS,
      streamsPerClient: MAX_STREAMS_PER_CLIENT,
      pagesPerClient: MAX_PAGES_PER_CLIENT,
      ...bounds,
    }
  }

  /** Over gRPC. */
  get unreadBytes(): number {
    return this.#unreadBytes
  }

  get unreadCalls(): number {
    let calls = 0
    for (const { unread } of this.#clients.values()) calls += unread.size
    return calls
  }

  /** Counts a call until it is closed. Returns undefined when there are too many. */
  open(address: string): Client | undefined {
    const counted = readClient(address)
    const { streams, streamsPerClient } = this.#bounds
    const ofNetwork = this.#streamsOf.get(counted.network) ?? 0
    if (this.#streams >= streams || ofNetwork >= streamsPerClient) return undefined
    const client = this.#clients.getOrInsertComputed(counted.name, () => newClient(counted))
    this.#count(client, 1)
    return client
  }

  #count(client: Client, by: number): void {
    client.streams += by
    this.#streams += by
    const ofNetwork = (this.#streamsOf.get(client.network) ?? 0) + by
    if (ofNetwork > 0) this.#streamsOf.set(client.network, ofNetwork)
    else this.#streamsOf.delete(client.network)
  }

  close(client: Client): void {
    this.#count(client, -1)
    this.#forget(client)
  }

  /** Whether one more call of a client may wait for its refusal; it has to be ended with `refused`. */
  refuseLate(client: Client): boolean {
    if (client.lateRefusals >= MAX_LATE_REFUSALS) return false
    client.lateRefusals++
    return true
  }

  refused(client: Client): void {
    client.lateRefusals--
  }

  /** Whether a call can be handled at once: its client has read enough, and few others of it that answer pages run. */
  mayHandle(client: Client, isShort: boolean): boolean {
    return client.waiting.length === 0 && this.#mayRun(client, isShort ? 0 : 1)
  }

  /** Runs `work` once it may be handled. */
  async handle<T>(client: Client, isShort: boolean, work: () => Promise<T> | T): Promise<T> {
    const pages = isShort ? 0 : 1
    if (this.mayHandle(client, isShort)) client.pages += pages
    // `#goOn` has counted this call when it lets it begin.
    else await new Promise<void>((begin) => client.waiting.push({ pages, begin }))
    try {
      return await work()
    } finally {
      client.pages -= pages
      this.#goOn(client)
    }
  }

  sent(client: Client, call: UnreadAnswer, bytes: number): void {
    client.unread.add(call)
    this.#unreadBytes += bytes
    this.#unread.acquire(client, call, bytes)
  }

  taken(client: Client, call: UnreadAnswer, bytes: number): void {
    client.unread.delete(call)
    this.#unreadBytes -= bytes
    this.#unread.release(client, call, bytes)
    this.#goOn(client)
  }

  /** To be called periodically: unread bytes of HTTP are released without a notice. */
  wake(): void {
    for (const client of this.#clients.values()) this.#goOn(client)
  }

  #mayRun(client: Client, pages: number): boolean {
    const isFull = pages > 0 && client.pages >= this.#bounds.pagesPerClient
    return !isFull && !this.#unread.isFull(client)
  }

  #goOn(client: Client): void {
    const { waiting } = client
    while (waiting[0] && this.#mayRun(client, waiting[0].pages)) {
      const next = waiting.shift()!
      client.pages += next.pages
      next.begin()
    }
    this.#forget(client)
  }

  #forget(client: Client): void {
    const { name, streams, pages, unread, waiting } = client
    if (streams > 0 || pages > 0 || unread.size > 0 || waiting.length > 0) return
    // A short call may end after its stream, when the client has a new record.
    if (this.#clients.get(name) === client) this.#clients.delete(name)
  }
}

const newClient = ({ name, network }: Counted): Client => ({
  name,
  network,
  streams: 0,
  lateRefusals: 0,
  pages: 0,
  unread: new Set(),
  waiting: [],
})
