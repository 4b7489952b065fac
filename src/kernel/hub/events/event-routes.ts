import Type from 'typebox'
import { pageTokenParam } from '../../http/input/paging.ts'
import {
  alias,
  boolParam,
  described,
  intParam,
  optional,
  withDefault,
} from '../../http/input/params.ts'
import { bind, type Route, route } from '../../http/route.ts'
import { EVENT_STREAM_TYPE, eventStreamAnswer } from '../../http/server-sent-events.ts'
import { type HubContext, hubJson, ofStore, READ_ERRORS } from '../hub-route.ts'
import { eventId } from '../parameters.ts'
import { eventReply, eventsReply } from '../reads/replies.ts'
import { eventFilters, eventMatcher, eventShard, eventStart } from './event-filter.ts'
import { EVENTS_PER_PAGE, MAX_SCANNED_EVENTS } from './event-reads.ts'

const EVENTS = [
  {
    name: 'Events',
    description:
      'Everything that happened, in order. Read pages with `/v1/events` or follow `/v1/events/stream`: both give ' +
      'every event once.',
  },
]

const MAX_LIMIT_DIGITS = 1e9

const limit = alias(
  described(
    withDefault(intParam({ min: 0, max: MAX_LIMIT_DIGITS }), EVENTS_PER_PAGE),
    `Events on a page. 0, or a value above ${EVENTS_PER_PAGE}, counts as ${EVENTS_PER_PAGE}.`,
  ),
  'pageSize',
)

/** Routes that read events. */
export const eventRoutes = (context: HubContext): Route[] =>
  bind(context, [eventById, events, eventStream])

const eventById = route('GET /v1/eventById', {
  callers: 'anyone',
  summary: 'One event by its id',
  description: 'Events are kept for three days.',
  query: { event_id: alias(eventId, 'id'), ...eventShard },
  reply: hubJson(eventReply),
  tags: EVENTS,
  errors: READ_ERRORS,
  cost: 'lookup',
  handler: ({ reads }: HubContext, { query: q }) => reads.events.byId(q.eventId),
})

const events = route('GET /v1/events', {
  callers: 'anyone',
  summary: 'Events in order of id',
  description:
    'Begins at `from_event_id`, or at the oldest event. Continue with `nextPageEventId`; no event is skipped ' +
    'or repeated. With filters a page may be empty although more events follow: the end is reached when ' +
    '`nextPageEventId` stays the same. Events are kept for three days. With `reverse` the list begins at its ' +
    'end, and with `stop_id` it ends before that event; both are continued with `nextPageToken`, and ' +
    '`nextPageEventId` is then above all events of the page. A `from_event_id` above the newest event is refused ' +
    'with `bad_request.future_event`: the data were reset or restored, so read the lists again.',
  errors: [...READ_ERRORS, 'bad_request.future_event'],
  costOfQuery: ({
    fromEventId: _,
    limit: __,
    stopId: ___,
    reverse,
    pageToken: ____,
    ...filters
  }) => (eventMatcher(filters) ? { decoded: MAX_SCANNED_EVENTS } : {}),
  version: ofStore,
  query: {
    from_event_id: optional(eventStart),
    stop_id: optional(described(eventId, 'Only events with a smaller id.')),
    limit,
    pageToken: pageTokenParam,
    reverse: described(boolParam, 'Begins at the end of the list, newest first.'),
    ...eventFilters,
    ...eventShard,
  },
  reply: hubJson(eventsReply),
  tags: EVENTS,
  cost: 'list',
  handler: async (
    { reads }: HubContext,
    { query: { fromEventId = 0, stopId, limit, pageToken, reverse, ...filters } },
  ) => {
    if (fromEventId === 'latest') {
      return { events: [], nextId: await reads.events.nextId(), oldestId: undefined }
    }
    const count = Math.min(limit || EVENTS_PER_PAGE, EVENTS_PER_PAGE)
    const matches = eventMatcher(filters)
    if (stopId || reverse || pageToken) {
      const range = { from: fromEventId, before: stopId || undefined, reverse }
      return reads.events.pageOfRange(range, pageToken, count, matches)
    }
    return reads.events.page(fromEventId, count, matches)
  },
})

const eventStream = route('GET /v1/events/stream', {
  callers: 'anyone',
  summary: 'Follow events as server-sent events',
  description:
    'Each event has the event id as its `id` and a HubEvent in JSON as its `data`. Begins after the ' +
    '`Last-Event-ID` header, which browsers send when they connect again, else at `from_event_id`, else with ' +
    'what happens from now on. No event is skipped or repeated. When events were asked for that are pruned, ' +
    'the first event has the name `pruned` and the data `{"oldestEventId"}`, and the stream begins at the ' +
    'oldest event. A position above the newest event is refused with `bad_request.future_event`. A frame with only an `id` is sent when nothing else is for 15 seconds.',
  query: { from_event_id: optional(eventStart), ...eventFilters, ...eventShard },
  reply: Type.String(),
  contentType: EVENT_STREAM_TYPE,
  errors: [
    'bad_request.invalid_param',
    'bad_request.future_event',
    'unavailable',
    'unavailable.overloaded',
  ],
  tags: EVENTS,
  cost: 'lookup',
  handler: async ({ streams }: HubContext, { query: { fromEventId, ...filters }, request }) =>
    eventStreamAnswer(
      await streams.open({
        fromId: fromEventId === 'latest' ? undefined : fromEventId,
        lastEventId: request.headers['last-event-id'],
        matches: eventMatcher(filters),
        ip: request.ip,
        budget: request,
      }),
    ),
})
