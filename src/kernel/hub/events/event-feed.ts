// The live event feed: one reader of the event log in each process serves every subscriber, over gRPC and HTTP.

/** What an event concerns: its message and the messages that it deleted. */
export type EventSubject = {
  /** Authors of the messages; owners before and after a name proof; the fid of an on-chain event. */
  readonly fids: readonly number[]
  /** URLs that the casts reply to. */
  readonly parentUrls: readonly string[]
  /**
   * Users that the messages point at: targets of links, authors of casts that are replied to or reacted to,
   * mentioned users. Not the targets of compact states, which may be thousands.
   */
  readonly targetFids: readonly number[]
}

/** What subscribers choose events by. */
export type FeedEventInfo = {
  readonly id: number
  /** The number of its HubEventType. */
  readonly type: number
  /** The fid of its message, name proof or on-chain event. */
  readonly fid: number
  /** The users and kinds it concerns. Read from the message on first use. */
  readonly subject: EventSubject
}

/** An event as subscribers get it. Its bytes are shared by all of them and must not be changed. */
export type FeedEvent = FeedEventInfo & {
  /** The encoded HubEvent. */
  readonly bytes: Uint8Array
  /** A frame of server-sent events with the HubEvent in JSON. */
  readonly serverSentBytes: Uint8Array
}

export type FeedFormat = 'protobuf' | 'server-sent'

export type FeedRequest = {
  /**
   * The first id that is wanted; 0 is the oldest event that is stored. Undefined: only events that are committed from
   * now on. An id that no event has had yet is refused.
   */
  readonly fromId: number | undefined
  /** What the caller knows `fromId` as; from_event_id unless given. */
  readonly field?: string
  /** Whether an event is wanted; without it all are. Called once for each event, so it must be cheap. */
  readonly matches?: ((event: FeedEventInfo) => boolean) | undefined
  /** Which bytes FEED_BATCH_BYTES bounds; protobuf unless given. */
  readonly format?: FeedFormat
  /** Ends the subscription. A waiting `next` then resolves with no events. */
  readonly signal: AbortSignal
}

/** A position in the event log. Nothing is queued for it: it reads on when `next` is called. */
export type FeedSubscription = {
  /** The oldest stored event, when events before it were asked for. */
  readonly oldestId: number | undefined
  /** Every event up to this id has been returned by `next`, or is not wanted. Grows while `next` waits. */
  readonly position: number
  /**
   * Waits until there are events and returns them in ascending order of id, at most FEED_BATCH_BYTES of
   * them, but always at least one. Each event is returned once and none is left out. Returns an empty list
   * when the subscription has ended: after `signal`, or because another log has taken the place of this one. Throws a
   * Rejection `unavailable` when the feed is closed, or when the store could not be read for a minute. At most one call
   * at a time.
   */
  next(): Promise<readonly FeedEvent[]>
}

/** Bytes that one call of `next` returns at most, unless a single event is larger. */
export const FEED_BATCH_BYTES = 65_536

export type EventFeed = {
  /** Resolves once the position is fixed: everything that is committed afterwards is delivered. */
  subscribe(request: FeedRequest): Promise<FeedSubscription>
  /** Reads the log at once instead of at the next poll: to be called when this process has committed events. */
  wake(): void
  /** Ends all subscriptions. */
  close(): Promise<void>
}
