import { jsonText, type Written } from '../http/route.ts'
import type { Versions } from '../storage/engines/versions.ts'
import type { EventStreams } from './events/event-stream.ts'
import type { Hub } from './hub.ts'
import type { HubJsonWriter } from './reads/json-writer.ts'
import type { HubReads } from './reads/reads.ts'
import type { HubReply } from './reads/replies.ts'

/** What the routes of the hub work with. */
export type HubContext = {
  readonly hub: Hub
  readonly reads: HubReads
  readonly streams: EventStreams
  readonly json: HubJsonWriter
}

/** The errors of every read. */
export const READ_ERRORS = ['bad_request.invalid_param', 'not_found'] as const

/** The versions of answers; undefined where there are none. Whether somebody is mirrored is no part of them. */
export const versionsOf = ({ reads: { versions, isPartial } }: HubContext): Versions | undefined =>
  isPartial ? undefined : versions

/** The version of all answers. */
export const ofStore = (context: HubContext): number | undefined => versionsOf(context)?.ofStore()

/** The version of answers that show the messages of one author alone. */
export const ofAuthor = (
  context: HubContext,
  { fid }: { readonly fid: number },
): number | undefined => versionsOf(context)?.ofAuthor(fid)

/** Says of reads by fid that this server does not have, or does not get any more, what there is of this person. */
export const SCOPE_HEADER = 'x-rookery-scope'

/** The reply of a read, as the hub writes it. */
export const hubJson = <T>({ schema, write }: HubReply<T>): Written<HubContext, T> => ({
  schema,
  async write({ reads, json }, value, { query }) {
    const text = write(value, json)
    const scope = await reads.scopeOf(query)
    return jsonText(text, scope && { headers: { [SCOPE_HEADER]: scope } })
  },
})
