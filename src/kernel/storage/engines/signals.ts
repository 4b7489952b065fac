// Wake-ups after commits, so that readers of the event log and of key requests need not poll often.

/** `events` is the event log, `key requests` the signed key requests. */
export const TOPICS = ['events', 'key requests'] as const
export type Topic = (typeof TOPICS)[number]

/**
 * Tells readers that there may be something new. It is never the only source: a signal may be lost, and may
 * come without a change, so readers look at the database itself and poll it every `pollMs` besides.
 */
export type Signals = {
  /**
   * Calls `listener` after commits of this process and, where the database can pass them on, of others.
   * Returns a function that ends it.
   */
  on(topic: Topic, listener: () => void): () => void
  /** Call it when a thread of this process has committed on a connection of its own. */
  announce(topic: Topic): void
  /** The longest time between two polls: short while commits of other processes are not announced here. */
  readonly pollMs: number
}

/** Poll where every commit is announced, in case a signal was lost. */
export const ANNOUNCED_POLL_MS = 1_000
/** Poll while other processes cannot announce what they commit. */
export const UNANNOUNCED_POLL_MS = 50

/** Passes signals on between processes that share a database. */
export type SignalBus = {
  /** Whether signals of other processes arrive now. */
  readonly isConnected: boolean
  /** Begins to receive; calls `onTopic` with each topic that another process announced. */
  connect(onTopic: (topic: Topic) => void): void
  /** Announces a topic to the other processes; failures are ignored. */
  send(topic: Topic): void
}

/** The signals of a process. Without a bus there is no other process. */
export function createSignals(bus?: SignalBus): Signals {
  const listeners = new Map<Topic, Set<() => void>>(TOPICS.map((topic) => [topic, new Set()]))
  const tell = (topic: Topic) => {
    for (const listener of listeners.get(topic)!) listener()
  }
  let isConnecting = false
  return {
    on(topic, listener) {
      // A connection is held only by processes that have something to wake.
      if (!isConnecting) bus?.connect(tell)
      isConnecting = true
      // Two calls with one function are two listeners.
      const own = () => listener()
      listeners.get(topic)!.add(own)
      return () => void listeners.get(topic)!.delete(own)
    },
    announce(topic) {
      tell(topic)
      bus?.send(topic)
    },
    get pollMs() {
      return !bus || bus.isConnected ? ANNOUNCED_POLL_MS : UNANNOUNCED_POLL_MS
    },
  }
}
