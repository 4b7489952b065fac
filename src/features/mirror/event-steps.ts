import type { MirrorInput } from '../../kernel/hub/submit/mirror-intake.ts'
import { MessageType } from '../../kernel/protocol/wire/message_pb.js'
import { placeOf, type SourceEvent, typeOfMessage } from './source/events.ts'
import { PROFILE_SETS } from './source/lists.ts'
import type { MirrorFid } from './tables/mirror.ts'

// What events of a source mean for the people who are mirrored, and which steps of the hub they are.

const isCompactState = ({ what }: SourceEvent): boolean =>
  what.kind === 'merge' && typeOfMessage(what.message) === MessageType.LINK_COMPACT_STATE

/** Whoever has a compact state: on Hubble it deletes links of every type, and it may be empty. Our own rules differ. */
export const compacting = (events: readonly SourceEvent[]): Set<number> =>
  new Set(events.filter(isCompactState).map(({ fid }) => fid))

/** Whoever has links in the block of a later compact state: Snapchain keeps these, our own rules do not. */
export function keptBeside(events: readonly SourceEvent[]): Set<number> {
  const linked = new Set<string>()
  const found = new Set<number>()
  for (const { fid, block, what } of events) {
    if (what.kind !== 'merge' || block === 0) continue
    const type = typeOfMessage(what.message)
    if (type === MessageType.LINK_ADD || type === MessageType.LINK_REMOVE)
      linked.add(`${block} ${fid}`)
    else if (type === MessageType.LINK_COMPACT_STATE && linked.has(`${block} ${fid}`))
      found.add(fid)
  }
  return found
}

/** Who had a name that somebody else has now. Whether a source removes their username with it depends on the transfer. */
export function formerOwner({ fid, what }: SourceEvent): number {
  const before = what.kind === 'name' ? Number(what.before?.fid ?? 0n) : 0
  return before === fid ? 0 : before
}

/** Whether an account or a name is of somebody who is mirrored. */
export function concerns(
  { fid, what }: SourceEvent,
  people: ReadonlyMap<number, MirrorFid>,
): boolean {
  const isMirrored = (one: number) => (people.get(one)?.state ?? 'frozen') !== 'frozen'
  return isMirrored(fid) || (what.kind === 'name' && isMirrored(Number(what.before?.fid ?? 0n)))
}

/**
 * What an event means for its author. Whoever is not mirrored any more loses what the source removes, and gets nothing new;
 * who is context gets what is about the person, and loses casts.
 */
export function asFor(event: SourceEvent, people: ReadonlyMap<number, MirrorFid>): SourceEvent[] {
  const person = people.get(event.fid)
  const { what } = event
  if (person === undefined || (what.kind !== 'remove' && what.kind !== 'merge')) return []
  if (what.kind === 'remove') return [event]
  if (person.state === 'frozen' || person.state === 'erasing') return []
  if (person.state !== 'context' || PROFILE_SETS.has(placeOf(what.message)?.slot[0] ?? 0)) {
    return [event]
  }
  return what.deleted.map((message) => ({
    ...event,
    what: { kind: 'remove', message, reason: 'revoke' },
  }))
}

export function stepsOf({ fid, what }: SourceEvent): MirrorInput[] {
  if (what.kind === 'remove') {
    const place = placeOf(what.message)
    return place ? [{ remove: { fid, ...place, reason: what.reason } }] : []
  }
  if (what.kind !== 'merge') return []
  const { message, deleted } = what
  if (deleted.length === 0) return [{ merge: message }]
  const own = placeOf(message)
  // What had the place of the message is replaced by our own rules, or they refuse the message.
  const others = deleted.flatMap((one): MirrorInput[] => {
    const place = placeOf(one)
    const isOther = place && own && Buffer.compare(place.slot, own.slot) !== 0
    return isOther ? [{ remove: { fid, ...place, reason: 'revoke' } }] : []
  })
  return [{ merge: message }, ...others]
}
