import type { Storage } from '../storage/storage.ts'
import type { Versions } from '../storage/versions.ts'
import { HubReads, type ReadsOptions } from './reads.ts'
import { RenderedEvents } from './rendered-events.ts'
import { type RenderedMessage, RenderedMessages } from './rendered-messages.ts'
import { inBatches, inTurns } from './slot-batches.ts'

/** The reads of the hub whose messages and events are JSON already. */
export type RenderedReads = {
  readonly reads: HubReads<RenderedMessage>
  readonly messages: RenderedMessages
  readonly events: RenderedEvents
  readonly versions: Versions | undefined
}

// Shares of the memory. Most is for whole answers: a page that is kept costs a tenth of one that is put together anew.
export const ANSWERS_SHARE = 10 / 16
const MESSAGES_SHARE = 5 / 16
/** Where no answers are kept, because other processes write, too. */
const MESSAGES_WITHOUT_ANSWERS_SHARE = 10 / 16
/** Events that are not just a message are few. */
const EVENTS_SHARE = 1 / 16

/** Reads from standbys where there are some; what they do not have yet is read from the primary. */
export function renderedReads(
  options: Omit<ReadsOptions<RenderedMessage>, 'messages' | 'log'>,
  primary: Storage,
  maxBytes: number,
): RenderedReads {
  const { settings } = options
  const { replica } = primary
  const sources = replica.messages === primary.messages ? [primary] : [replica, primary]
  const messages = new RenderedMessages(
    {
      ids: replica.published.messageIds,
      packed: replica.published.packedMessages,
      one: primary.versions
        ? inTurns(replica.published.envelopes)
        : inBatches(sources.map((source) => source.published.messages)),
      parts: sources.map((source) => source.messageParts),
    },
    settings.json,
    maxBytes * (primary.versions ? MESSAGES_SHARE : MESSAGES_WITHOUT_ANSWERS_SHARE),
  )
  const events = new RenderedEvents(
    {
      // A standby may not have each event that another one has listed.
      headers: {
        list: replica.published.eventHeaders.list,
        byIds: primary.published.eventHeaders.byIds,
        shardOf: primary.published.eventHeaders.shardOf,
      },
      published: replica.published.events,
      log: primary.events,
      rows: sources.map((source) => source.events),
      parts: replica.messageParts,
      bodies: replica.eventBodies,
    },
    settings.json,
    maxBytes * EVENTS_SHARE,
  )
  return {
    reads: new HubReads({ ...options, messages, log: primary.events }),
    messages,
    events,
    versions: primary.versions,
  }
}
