import { create, toBinary } from '@bufbuild/protobuf'
import { eventTime } from '../protocol/event-id.ts'
import { MESSAGE_FORMS } from '../protocol/message.ts'
import { networkTime } from '../protocol/time.ts'
import { MessageDataSchema, MessageType } from '../protocol/wire/message_pb.js'
import type { SentMessage } from '../storage/messages/envelopes.ts'
import type { StoredEvent } from '../storage/messages/events.ts'
import type { EventPart, SetAside, ViewDelivery } from '../storage/views/views.ts'
import {
  type Contribution,
  changesProfile,
  compactFollowsOf,
  contributionOf,
  FOLLOW,
  type Removal,
  removalOf,
} from './contribution.ts'
import { type EventStep, stepOf } from './event-steps.ts'
import { PORTION_EVENTS, portionAfter, type Work } from './indexer-work.ts'
import type { MatchedEvent } from './matcher.ts'

/** Which changes concern rows of the views. */
export type Counted = { readonly additions: boolean; removal(id: number): boolean }
export const EVERYTHING: Counted = { additions: true, removal: () => true }

/** Applies the events after a position, portion after portion, as many as a transaction has. */
export async function applyPortions(
  work: Work,
  position: number,
  first: readonly StoredEvent[],
  counts: Counted,
): Promise<{ cursor: number; events: number }> {
  const deliveries: ViewDelivery[] = []
  const { writer, fold } = work
  const limit = work.limits.events
  let cursor = position
  let events = 0
  // A portion may be shorter than asked for, so portions are counted too.
  for (let left = Math.ceil(limit / PORTION_EVENTS), found = first; found.length > 0; ) {
    deliveries.push(...(await applyEvents(work, found, counts)))
    cursor = found.at(-1)!.id
    events += found.length
    if (--left === 0 || events >= limit) break
    found = await portionAfter(work, cursor, limit - events)
    // When the log was pruned meanwhile, events may be missing in between. The next step sees that and builds anew.
    if (!(await work.storage.events.logState(cursor)).hasCursor) break
  }
  if (events > 0) await fold.flush()
  await writer.insertDeliveries(deliveries)
  return { cursor, events }
}

/**
 * Hands events to the fold and returns what webhooks are to be told. `counts` says which additions and removals concern
 * rows of the views: all of them, except during a build.
 */
export async function applyEvents(
  work: Work,
  events: readonly StoredEvent[],
  counts: Counted,
): Promise<readonly ViewDelivery[]> {
  const { attempt } = work
  const matched: MatchedEvent[] = []
  for (const event of events) {
    const leftOut = attempt.begin({ kind: 'event', id: event.id })
    if (leftOut === 'event') {
      attempt.put('event', event.id)
      continue
    }
    const step = stepOf(event)
    if (step) await applyStep(work, step, counts, leftOut, matched)
  }
  return work.matcher(matched)
}

export async function applyStep(
  { writer, attempt, fold }: Work,
  step: EventStep,
  counts: Counted,
  leftOut: EventPart | undefined,
  matched: MatchedEvent[],
): Promise<void> {
  const { id, added, shown, removed } = step
  const removal = removed && removalOf(removed.message, removed.id)
  if (removed) {
    const neverAdded = await attempt.forgetAdded(writer, [removed.id])
    if (removal && counts.removal(removal.id) && !neverAdded.has(removal.id)) {
      if (leftOut === 'removed') attempt.put('removed', id)
      else fold.remove(removal)
    }
  }
  let ended: Removal[] = []
  if (added && leftOut === 'added') attempt.put('added', id)
  else if (added) {
    const contribution = contributionOf(added, id)
    if (contribution && counts.additions) fold.add(contribution)
    const compact = compactFollowsOf(added)
    if (compact) ended = await fold.compact(compact, id)
  }
  const first = shown && contributionOf(shown, id)
  if (first && counts.additions) {
    const at = Math.max(first.at, networkTime(eventTime(id)))
    fold.show(shown.hash, { ...first, at })
  }
  const updated = updatedBy(step)
  for (const fid of updated) {
    if (leftOut === 'profile') attempt.put('profile', fid)
    else fold.render(fid)
  }
  if (leftOut === 'webhooks') attempt.put('webhooks', id)
  else {
    const unfollowed = ended.map(followMessage)
    matched.push({
      ...{ id, added: added ?? shown, registered: step.registered, updated },
      removed: removed ? [removed.message, ...unfollowed] : unfollowed,
    })
  }
}

/** What was set aside, as far as the log and the stored messages still say it. */
export async function stepSetAside(
  { storage }: Pick<Work, 'storage'>,
  { part, id }: SetAside,
): Promise<EventStep | undefined> {
  const { events, messages } = storage
  const nothing = { id, added: undefined, removed: undefined, registered: [], updated: [] }
  if (part === 'profile') return { ...nothing, updated: [id] }
  const [[event], [message]] = await Promise.all([
    part === 'added' ? [] : events.list(id, 1, 1),
    part === 'added' || part === 'event' ? messages.scan(id - 1, 1) : [],
  ])
  const whole = event?.id === id ? stepOf(event) : undefined
  if (part === 'removed') return whole && { ...nothing, removed: whole.removed }
  return whole ?? (message?.id === id ? { ...nothing, added: message } : undefined)
}

/** Fids whose profiles an event changed. */
function updatedBy({ added, removed, updated }: EventStep): readonly number[] {
  const fids = [...updated]
  if (added && changesProfile(added)) fids.push(added.fid)
  if (removed && changesProfile(removed.message)) fids.push(removed.message.fid)
  return fids.length > 1 ? [...new Set(fids)] : fids
}

/** A follow that a compact state ended, as far as the views know it. */
function followMessage({ fid, at, follows }: Contribution): SentMessage {
  const data = create(MessageDataSchema, {
    type: MessageType.LINK_ADD,
    fid: BigInt(fid),
    timestamp: at,
    body: {
      case: 'linkBody',
      value: { type: FOLLOW, target: { case: 'targetFid', value: BigInt(follows!) } },
    },
  })
  const none = new Uint8Array(0)
  return {
    fid,
    type: data.type,
    timestamp: at,
    form: MESSAGE_FORMS.data,
    hash: none,
    signature: none,
    signer: none,
    data: toBinary(MessageDataSchema, data),
  }
}
