import { checkFid, checkFields, checkList, checkText, must } from './checks.ts'
import type { Client } from './client.ts'
import { RookeryError } from './error.ts'
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
  /** Of the event, the same when it comes again; where a later run continues: `lastEventId`. */
  readonly id: string
  readonly message: Message
}

export type FollowMessagesOptions = FollowOptions & {
  /**
   * Called when the events after `lastEventId` are no longer kept, with the oldest that is; the messages from there on
   * follow. Without it a RookeryError with code `pruned` is thrown then.
   */
  readonly onPruned?: (oldestEventId: number) => void
}

/** Yields messages as they are merged, without missing one, until the signal aborts. */
export async function* followMessages(
  hub: Client<HubOperations>,
  filter: MessageFilter = {},
  options: FollowMessagesOptions = {},
): AsyncGenerator<FollowedMessage, void> {
  checkFilter(filter)
  const { fids, parentUrl, targetFid, types, fromStart = false } = filter
  const input = {
    event_types: 'MERGE_MESSAGE',
    from_event_id: fromStart ? 0 : ('latest' as const),
    ...(fids && { fids: fids.join(',') }),
    ...(parentUrl !== undefined && { parent_url: parentUrl }),
    ...(targetFid !== undefined && { target_fid: targetFid }),
  }
  for await (const { id, type, data } of follow(hub, '/v1/events/stream', input, options)) {
    if (type === 'pruned') (options.onPruned ?? refusePruned)(data.oldestEventId)
    const message: Message | undefined = data.mergeMessageBody?.message
    if (id === undefined || !message) continue
    if (types === undefined || types.includes(message.data.type)) yield { id, message }
  }
}

/** A misspelt filter would give every message, and a misspelt type none. */
function checkFilter(filter: MessageFilter): void {
  const names = ['fids', 'parentUrl', 'targetFid', 'types', 'fromStart']
  checkFields(filter, 'the filter', names, '{ targetFid: 1 }')
  const { fids = [], parentUrl = '', targetFid, types = [] } = filter
  checkList(fids, 'fids', checkFid)
  checkText(parentUrl, 'parentUrl')
  if (targetFid !== undefined) checkFid(targetFid, 'targetFid')
  checkList(types, 'types', (type, what) => {
    const isType = typeof type === 'string' && type.startsWith('MESSAGE_TYPE_')
    must(isType, what, 'a name such as MESSAGE_TYPE_CAST_ADD', type)
  })
}

function refusePruned(oldestEventId: number): never {
  const text =
    `events before ${oldestEventId} are no longer kept, so messages may have been missed: read them from the lists, ` +
    'then follow without the old position, or give onPruned to go on with the oldest event'
  throw new RookeryError(text, { status: 0, code: 'pruned' })
}
