import { fromBinary } from '@bufbuild/protobuf'
import { decodeList, decodeStored } from '../../protocol/codec/decode.ts'
import { kindOf } from '../../protocol/kinds/kinds.ts'
import type { SignedMessage } from '../../protocol/message.ts'
import { HubEventSchema } from '../../protocol/wire/hub_event_pb.js'
import type { MessageData } from '../../protocol/wire/message_pb.js'
import type { StoredEvent } from '../../storage/messages/events.ts'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { EventSubject, FeedEventInfo } from './event-feed.ts'

/** What subscribers choose events by, read from a stored event when it is asked for. */
export class EventInfo implements FeedEventInfo {
  readonly id: number
  readonly type: number
  protected readonly event: StoredEvent
  #fid: number | undefined
  #subject: EventSubject | undefined

  constructor(event: StoredEvent) {
    this.id = event.id
    this.type = event.type
    this.event = event
  }

  get fid(): number {
    this.#fid ??= fidOf(this.event)
    return this.#fid
  }

  get subject(): EventSubject {
    this.#subject ??= subjectOf(this.event)
    return this.#subject
  }
}

/** Reads an event's subject out of its messages. Throws when a stored message cannot be decoded. */
function subjectOf(event: StoredEvent): EventSubject {
  if (event.body) return { fids: fidsOfBody(event.body), parentUrls: [], targetFids: [] }
  const messages = messagesOf(event)
  return {
    fids: unique(messages.map(({ fid }) => fid)),
    parentUrls: unique(messages.flatMap(({ data }) => parentUrlOf(data))),
    targetFids: unique(messages.flatMap(targetFidsOf)),
  }
}

/** The fid of an event's message, or the first fid of its body. Cheaper than the whole subject. */
function fidOf(event: StoredEvent): number {
  if (event.merged) return event.merged.fid
  if (event.body) return fidsOfBody(event.body)[0] ?? 0
  return messagesOf(event)[0]?.fid ?? 0
}

function messagesOf({ merged, message, deleted }: StoredEvent): SignedMessage[] {
  const own = merged ? [fromStored(merged)] : message ? [decodeStored(message)] : []
  return deleted ? [...own, ...decodeList(deleted)] : own
}

/** A name that was given up has fid 0 in its newest proof: the event is about its last owner. */
function fidsOfBody(body: Uint8Array): number[] {
  const { body: content } = fromBinary(HubEventSchema, body)
  if (content.case === 'mergeOnChainEventBody') {
    return unique([Number(content.value.onChainEvent?.fid ?? 0)])
  }
  if (content.case !== 'mergeUsernameProofBody') return []
  const { usernameProof, deletedUsernameProof } = content.value
  return unique([usernameProof, deletedUsernameProof].map((proof) => Number(proof?.fid ?? 0)))
}

function parentUrlOf({ body }: MessageData): string[] {
  if (body.case !== 'castAddBody' || body.value.parent.case !== 'parentUrl') return []
  return [body.value.parent.value]
}

const targetFidsOf = ({ data }: SignedMessage): number[] =>
  (data.body.value && kindOf(data.type)?.targetFids(data.body.value)) ?? []

/** Fid 0 and empty strings mean that there is none. */
const unique = <T extends number | string>(values: readonly T[]): T[] => [
  ...new Set(values.filter(Boolean)),
]
