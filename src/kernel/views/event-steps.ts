import { fromBinary } from '@bufbuild/protobuf'
import { decodeList, decodeStored } from '../protocol/codec/decode.ts'
import { HubEventSchema, HubEventType } from '../protocol/wire/hub_event_pb.js'
import { IdRegisterEventType } from '../protocol/wire/onchain_event_pb.js'
import type { SentMessage } from '../storage/messages/envelopes.ts'
import { FIRST_SHOWN, NOTHING_STORED, type StoredEvent } from '../storage/messages/events.ts'
import { sentMessageOf } from '../storage/messages/message-rows.ts'

/** The changes that one event reports. */
export type EventStep = {
  /** Id of the event, and of the message that it added. */
  readonly id: number
  readonly added: SentMessage | undefined
  /** What was added earlier, and is shown now for the first time. */
  readonly shown?: SentMessage | undefined
  readonly removed: { readonly id: number; readonly message: SentMessage } | undefined
  /** Fids that were registered. */
  readonly registered: readonly number[]
  /** Fids whose names or accounts changed. */
  readonly updated: readonly number[]
}

/** Reads an event; undefined when it stored and removed nothing and says nothing about accounts and names. */
export function stepOf(event: StoredEvent): EventStep | undefined {
  if (event.removed === NOTHING_STORED) return undefined
  if (event.body) return accountStep(event.id, event.body)
  const { id, type, merged, message, deleted, removed } = event
  const isRemoval = type === HubEventType.PRUNE_MESSAGE || type === HubEventType.REVOKE_MESSAGE
  const own = merged ?? (message ? sentMessageOf(decodeStored(message)) : undefined)
  if (removed === FIRST_SHOWN) {
    return { id, added: undefined, shown: own, removed: undefined, registered: [], updated: [] }
  }
  const lost = isRemoval ? own : deleted ? decodeList(deleted).map(sentMessageOf)[0] : undefined
  return {
    id,
    added: isRemoval ? undefined : own,
    removed: lost && removed !== null ? { id: removed, message: lost } : undefined,
    registered: [],
    updated: [],
  }
}

function accountStep(id: number, bytes: Uint8Array): EventStep | undefined {
  const { body } = fromBinary(HubEventSchema, bytes)
  const nothing = { id, added: undefined, removed: undefined }
  if (body.case === 'mergeOnChainEventBody') {
    const event = body.value.onChainEvent
    if (!event) return undefined
    const isRegistration =
      event.body.case === 'idRegisterEventBody' &&
      event.body.value.eventType === IdRegisterEventType.REGISTER
    const fids = [Number(event.fid)]
    return { ...nothing, registered: isRegistration ? fids : [], updated: fids }
  }
  if (body.case === 'mergeUsernameProofBody') {
    const proofs = [body.value.usernameProof, body.value.deletedUsernameProof]
    const fids = proofs.flatMap((proof) => (proof ? [Number(proof.fid)] : []))
    return { ...nothing, registered: [], updated: [...new Set(fids)].filter((fid) => fid !== 0) }
  }
  return undefined
}
