import { fromBinary } from '@bufbuild/protobuf'
import { decodeList, decodeMessage } from '../protocol/decode.ts'
import { eventTime } from '../protocol/event-id.ts'
import { hubEventJson, type JsonOptions, messageJson, nameProofJson } from '../protocol/json.ts'
import type { SignedMessage } from '../protocol/message.ts'
import { networkTime } from '../protocol/time.ts'
import { HubEventSchema, HubEventType } from '../protocol/wire/hub_event_pb.js'
import type { StoredEvent } from '../storage/events.ts'
import { fromStored } from './stored.ts'

/** An event as JSON text. The message of a merge comes from the store while it is still there. */
export function eventJson(event: StoredEvent, options: JsonOptions): string {
  const timestamp = networkTime(eventTime(event.id))
  if (event.body) {
    const wire = fromBinary(HubEventSchema, event.body)
    wire.id = BigInt(event.id)
    wire.timestamp = BigInt(timestamp)
    return JSON.stringify(hubEventJson(wire, options))
  }
  return JSON.stringify({
    type: HubEventType[event.type] && `HUB_EVENT_TYPE_${HubEventType[event.type]}`,
    id: event.id,
    ...messageBody(event, options),
    blockNumber: 0,
    shardIndex: 0,
    timestamp,
  })
}

function messageBody(event: StoredEvent, options: JsonOptions) {
  const message = messageOf(event)
  const deleted = event.deleted ? decodeList(event.deleted) : []
  const json = message && messageJson(message, options)
  switch (event.type) {
    case HubEventType.PRUNE_MESSAGE:
      return { pruneMessageBody: { message: json } }
    case HubEventType.REVOKE_MESSAGE:
      return { revokeMessageBody: { message: json } }
    case HubEventType.MERGE_USERNAME_PROOF:
      return { mergeUsernameProofBody: proofBody(message, deleted[0], options) }
    default: {
      const deletedMessages = deleted.map((one) => messageJson(one, options))
      return { mergeMessageBody: { message: json, deletedMessages } }
    }
  }
}

function proofBody(
  message: SignedMessage | undefined,
  deleted: SignedMessage | undefined,
  options: JsonOptions,
) {
  return {
    ...(message && { usernameProof: proofOf(message) }),
    ...(deleted && { deletedUsernameProof: proofOf(deleted) }),
    ...(message && { usernameProofMessage: messageJson(message, options) }),
    ...(deleted && { deletedUsernameProofMessage: messageJson(deleted, options) }),
  }
}

function proofOf({ data }: SignedMessage) {
  return data.body.case === 'usernameProofBody' ? nameProofJson(data.body.value) : undefined
}

function messageOf(event: StoredEvent): SignedMessage | undefined {
  if (event.merged) return fromStored(event.merged)
  return event.message ? decodeMessage(event.message) : undefined
}
