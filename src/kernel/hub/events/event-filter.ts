import {
  described,
  enumParam,
  fidParam,
  optional,
  type Param,
  type ParsedParams,
} from '../../http/input/params.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { HubEventType, HubEventTypeSchema } from '../../protocol/wire/hub_event_pb.js'
import { eventId, numbersOf, shardParam, url } from '../parameters.ts'
import type { FeedEventInfo } from './event-feed.ts'

/** Fids that one filter may name. */
const MAX_FILTER_FIDS = 1_000

const PREFIX = 'HUB_EVENT_TYPE_'
const eventTypes = numbersOf(HubEventTypeSchema, `${PREFIX}NONE`)
const eventType = enumParam(eventTypes, { prefix: PREFIX })
const typeWords = Object.entries(eventTypes).flatMap(([name, number]) => [
  String(number),
  name,
  name.slice(PREFIX.length),
])

/** The parameters by which events are chosen. An event has to match all that are given. */
export const eventFilters = {
  event_types: optional(
    described(
      listParam(eventType, `(?:${typeWords.join('|')})`, typeWords.length),
      'Only events of these types, separated by commas: numbers or names such as `MERGE_MESSAGE`.',
    ),
  ),
  fids: optional(
    described(
      listParam(fidParam, '[1-9][0-9]{0,9}', MAX_FILTER_FIDS),
      'Only events about messages, names and accounts of these fids, separated by commas.',
    ),
  ),
  parent_url: optional(
    described(url, 'Only events about casts with this parent URL, for example those of a channel.'),
  ),
  target_fid: optional(
    described(
      fidParam,
      'Only events about messages that point at this fid: links to it, replies and reactions to its casts, ' +
        'mentions. Compact states are left out.',
    ),
  ),
}

/** Clients of the deployed network name a shard. */
export const eventShard = { shard_index: shardParam }

/** Where a reader begins: an id, or only what is committed from now on. */
export const eventStart: Param<number | 'latest'> = {
  schema: { anyOf: [eventId.schema, { type: 'string', enum: ['latest'] }] },
  description: 'The first id, or `latest` for what happens from now on.',
  parse: (text, field) => (text === 'latest' ? text : eventId.parse(text, field)),
}

/** Tells whether an event matches all filters; undefined when there are none. */
export function eventMatcher({
  eventTypes,
  fids,
  parentUrl,
  targetFid,
}: ParsedParams<typeof eventFilters>): ((event: FeedEventInfo) => boolean) | undefined {
  const conditions: ((event: FeedEventInfo) => boolean)[] = []
  if (eventTypes) {
    const types = new Set<number>(eventTypes)
    conditions.push(({ type }) => types.has(type))
  }
  if (fids) {
    const wanted = new Set(fids)
    // Only names pass from one fid to another; other events are about the one that is known without decoding.
    conditions.push(
      (event) =>
        wanted.has(event.fid) ||
        (event.type === HubEventType.MERGE_USERNAME_PROOF &&
          event.subject.fids.some((fid) => wanted.has(fid))),
    )
  }
  if (parentUrl !== undefined) {
    conditions.push(({ subject }) => subject.parentUrls.includes(parentUrl))
  }
  if (targetFid !== undefined) {
    conditions.push(({ subject }) => subject.targetFids.includes(targetFid))
  }
  return all(conditions)
}

function all(
  conditions: readonly ((event: FeedEventInfo) => boolean)[],
): ((event: FeedEventInfo) => boolean) | undefined {
  if (conditions.length === 0) return undefined
  return (event) => conditions.every((matches) => matches(event))
}

/** Items separated by commas, or as a repeated parameter. `pattern` documents one of them. */
function listParam<T>(item: Param<T>, pattern: string, maxItems: number): Param<readonly T[]> {
  return {
    schema: { type: 'string', pattern: `^${pattern}(?:,${pattern}){0,${maxItems - 1}}$` },
    repeats: true,
    parse: (text, field) => {
      const parts = text.split(',')
      if (parts.length > maxItems) {
        throw new Rejection(
          'bad_request.invalid_param',
          `${field} may have at most ${maxItems} items`,
          { field },
        )
      }
      return parts.map((part) => item.parse(part.trim(), field))
    },
  }
}
