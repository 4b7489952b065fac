import type { RequestInfo } from '../http/route.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { AppContext } from './context.ts'

// Clients can read their own writes: requests wait until the views have them.

const MAX_WAIT_MS = 2_000
const BUILD_RETRY_SECONDS = 2

/**
 * Resolves when the views have the event that the request names in `x-rookery-after`, to its id, or to 0 when it names none.
 * Throws a Rejection when they are being built or are too far behind.
 */
export async function awaitViews(
  { storage, views }: Pick<AppContext, 'storage' | 'views'>,
  { headers }: RequestInfo,
): Promise<number> {
  const state = views.state()
  if (state.status === 'building') {
    const percent = Math.floor(state.ratio * 100)
    throw new Rejection('unavailable', `the views are being built: ${percent} %`, {
      retryAfterSeconds: BUILD_RETRY_SECONDS,
    })
  }
  const after = headers['x-rookery-after']
  if (after === undefined || after === '') return 0
  const eventId = Number(after)
  if (typeof after !== 'string' || !/^\d{1,16}$/.test(after)) throw notAnEvent('is no event id')
  if (eventId > (await storage.events.newestId()))
    throw notAnEvent('is later than the newest event')
  if (!(await views.passed(eventId, MAX_WAIT_MS))) {
    throw new Rejection('unavailable', `event ${after} cannot be read here yet; try again`)
  }
  return eventId
}

const notAnEvent = (what: string): Rejection =>
  new Rejection('bad_request.invalid_param', `x-rookery-after ${what}`, {
    field: 'x-rookery-after',
  })

/** The headers of the answer to a write, once the views have its event or MAX_WAIT_MS have passed. */
export async function headersAfterWrite(
  { views }: Pick<AppContext, 'views'>,
  eventId: number,
): Promise<Record<string, string>> {
  const isIndexed = await views.passed(eventId, MAX_WAIT_MS)
  return {
    'x-rookery-event-id': String(eventId),
    ...(!isIndexed && { 'x-rookery-indexed': 'false' }),
  }
}
