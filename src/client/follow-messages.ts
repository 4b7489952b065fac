import type { Client } from './client.ts'
import { type FollowOptions, follow } from './follow.ts'
import type { HubOperations, Message } from './generated/hub.ts'

/** Which messages to follow; all unless given. */
export type MessageFilter = {
  /** Only of these authors. */
  readonly fids?: readonly number[]
  /** Only casts with this parent, such as those of a channel. */
  readonly parentUrl?: string
  /** Only what points at this account: answers and reactions to its casts, mentions, links. */
  readonly targetFid?: number
  /** Only of these types, such as MESSAGE_TYPE_CAST_ADD. */
  readonly types?: readonly Message['data']['type'][]
  /** From the oldest message on; from now on unless given. */
  readonly fromStart?: boolean
}

export type FollowedMessage = {
  /** Where a later run continues: `lastEventId`. */
  readonly id: string
  readonly message: Message
}

/** Yields messages as they are merged, without missing one, until the signal aborts. */
export async function* followMessages(
  hub: Client<HubOperations>,
  { fids, parentUrl, targetFid, types, fromStart = false }: MessageFilter = {},
  options: FollowOptions = {},
): AsyncGenerator<FollowedMessage, void> {
  const input = {
    event_types: 'MERGE_MESSAGE',
    from_event_id: fromStart ? 0 : ('latest' as const),
    ...(fids && { fids: fids.join(',') }),
    ...(parentUrl !== undefined && { parent_url: parentUrl }),
    ...(targetFid !== undefined && { target_fid: targetFid }),
  }
  for await (const { id, data } of follow(hub, '/v1/events/stream', input, options)) {
    const message: Message | undefined = data.mergeMessageBody?.message
    if (id === undefined || !message) continue
    if (types === undefined || types.includes(message.data.type)) yield { id, message }
  }
}
