import type { ParamSpecs, ParsedParams } from '../http/input/params.ts'
import { jsonText, type RouteFor, read, type Tag } from '../http/route.ts'
import type { Cost } from '../limits/cost.ts'
import type { RejectionCode } from '../protocol/rejection.ts'
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

/** The version of answers that show the messages of one author alone. */
export const ofAuthor = (versions: Versions, { fid }: { readonly fid: number }) =>
  versions.ofAuthor(fid)

/** Says of reads by fid that this server does not have, or does not get any more, what there is of this person. */
export const SCOPE_HEADER = 'x-rookery-scope'

/** Declares GET routes of a group, each answered by one read of HubReads. */
export const hubReads =
  (...tags: readonly Tag[]) =>
  <const Q extends ParamSpecs, T>(
    {
      reply,
      version,
      errors = [],
      ...spec
    }: {
      readonly path: string
      readonly summary: string
      readonly description: string
      readonly query: Q
      readonly reply: HubReply<T>
      /** Besides those of every read. */
      readonly errors?: readonly RejectionCode[]
      readonly cost?: Cost
      readonly costOfQuery?: (query: ParsedParams<Q>) => Cost
      /** Changes when the answer may; without it answers are not cached. */
      readonly version?: (versions: Versions, query: ParsedParams<Q>) => number | undefined
    },
    answer: (reads: HubReads, query: ParsedParams<Q>) => Promise<T>,
  ): RouteFor<HubContext> =>
  ({ reads, json }) => {
    const { versions } = reads
    return read(
      {
        ...spec,
        tags,
        reply: reply.schema,
        errors: ['bad_request.invalid_param', 'not_found', ...errors],
      },
      async (query) => {
        const text = reply.write(await answer(reads, query), json)
        const scope = await reads.scopeOf(query)
        return jsonText(text, scope && { headers: { [SCOPE_HEADER]: scope } })
      },
      {
        // Whether somebody is mirrored is no part of the version of their messages.
        version:
          version && versions && !reads.isPartial ? (query) => version(versions, query) : undefined,
      },
    )
  }
