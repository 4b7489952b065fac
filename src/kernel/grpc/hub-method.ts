// How the methods of HubService are declared.

import type { Message } from '@bufbuild/protobuf'
import type { GenMessage } from '@bufbuild/protobuf/codegenv2'
import type { AnswerCache } from '../http/answer-cache.ts'
import type { EventFeed } from '../hub/events/event-feed.ts'
import type { Hub } from '../hub/hub.ts'
import { messageSize, messagesResponse } from '../hub/reads/protobuf-presenter.ts'
import type { HubReads } from '../hub/reads/reads.ts'
import type { Cost } from '../limits/cost.ts'
import type { FidTimestampRequest } from '../protocol/wire/rpc_pb.js'
import { FidRequestSchema } from '../protocol/wire/rpc_pb.js'
import type { Versions } from '../storage/engines/versions.ts'
import type { Envelope } from '../storage/messages/envelopes.ts'
import type { Page, PageRequest } from '../storage/reads/page.ts'
import { cachedCall } from './cached-calls.ts'
import type { CallLimits } from './limits.ts'
import type { Call, Method, UnaryHandler } from './method.ts'
import { readInBatches } from './pages.ts'
import { decodeRequest, type PageFields, readFid, readPage, readSeconds } from './requests.ts'

/** What the methods work with. */
export type HubContext = {
  readonly hub: Hub
  readonly reads: HubReads
  /** The ids of the servers through which the data have come. */
  readonly path: () => Promise<string>
  readonly feed: EventFeed
  readonly limits: CallLimits
  /** Caches answers as long as `versions` says that nothing changed. */
  readonly cache: AnswerCache
  readonly versions: Versions | undefined
  /** Aborted when the hub stops. */
  readonly stopping: AbortSignal
  /** Time without an event after which Subscribe sends the last one again; 0: never. */
  readonly repeatMs: number
  onDelivered(events: number): void
}

/** A method of the hub, and what it costs: there is no default. */
export type HubMethod = {
  /** What a call costs at most; of a stream, what its start costs. */
  readonly cost: Cost
  /** What the content of the request adds to it. */
  readonly costOfRequest?: (request: Uint8Array) => Cost
  /** Whether the request holds messages: it may be longer than one that reads, and so may the answer. */
  readonly takesMessages?: boolean
  /** Whether it needs the credentials of submits, where the hub asks for some. */
  readonly isSubmit?: boolean
  /** Throws a Rejection for who may not call it, before the request is read. */
  readonly admit?: (call: Call) => void
  readonly of: (context: HubContext) => Method
}

/** Look-ups by key. */
export const LOOK_UP: Cost = { cpu: 'small' }
/** A page ends after 3.5 MiB; rows that are not answered are refunded. A list may look at rows that it leaves out. */
export const PAGE = { cpu: 'small', rows: 5_000, scanned: 4_000 } as const satisfies Cost

/** A method whose handler decodes the request. */
export const unary = (
  terms: Omit<HubMethod, 'of'>,
  answer: (context: HubContext, request: Uint8Array, call: Call) => ReturnType<UnaryHandler>,
): HubMethod => ({
  ...terms,
  of: (context) => ({
    kind: 'unary',
    handle: (request, call) => answer(context, request, call),
  }),
})

/** Another number when the answer to a request may have changed. */
type VersionOf<R> = (versions: Versions, request: R) => number | undefined

/** The version of answers that show the messages of one author alone. */
export const ofAuthor: VersionOf<{ readonly fid: bigint }> = (versions, { fid }) =>
  versions.ofAuthor(Number(fid))

/** A read, whose answers are cached if it has a version. */
export const get = <R extends Message>(
  cost: Cost,
  schema: GenMessage<R>,
  answer: (reads: HubReads, request: R, call: Call) => Promise<Uint8Array>,
  version?: VersionOf<R>,
): HubMethod => ({
  cost,
  of: ({ reads, cache, versions }) => {
    const decode = (bytes: Uint8Array): R => decodeRequest(schema, bytes)
    const read = (request: R, call: Call) => answer(reads, request, call)
    if (!version || !versions) {
      return { kind: 'unary', handle: async (bytes, call) => read(decode(bytes), call) }
    }
    const versionOf = (request: R) => version(versions, request)
    return {
      kind: 'unary',
      handle: cachedCall(cache, { decode, version: versionOf, answer: read }),
    }
  },
})

type ReadPage = (page: PageRequest) => Promise<Page<Envelope>>

/** A list of messages. `read` checks the request and returns what reads its pages. */
export const list = <R extends Message & PageFields>(
  schema: GenMessage<R>,
  read: (reads: HubReads, request: R) => ReadPage,
  version?: VersionOf<R>,
): HubMethod =>
  get(
    PAGE,
    schema,
    async (reads, request, call) =>
      messagesResponse(
        await readInBatches(readPage(request), read(reads, request), messageSize, call),
      ),
    version,
  )

/** A list of messages of one fid, or about it. */
export const listOfFid = (
  read: (reads: HubReads, fid: number, page: PageRequest) => Promise<Page<Envelope>>,
  version?: VersionOf<{ readonly fid: bigint }>,
): HubMethod =>
  list(
    FidRequestSchema,
    (reads, request) => {
      const fid = readFid(request.fid)
      return (page) => read(reads, fid, page)
    },
    version,
  )

/** The bounds of the messages that a request asks for. */
export const timesOf = ({ startTimestamp, stopTimestamp }: FidTimestampRequest) => ({
  from: readSeconds(startTimestamp, 'start_timestamp'),
  to: readSeconds(stopTimestamp, 'stop_timestamp'),
})

/** Reads all messages of a fid and a set, as GetAll…MessagesByFid and StreamFetch answer them. */
export const allMessages = (
  reads: HubReads,
  request: FidTimestampRequest,
  set: number,
): ReadPage => {
  const fid = readFid(request.fid)
  const times = timesOf(request)
  return (page) => reads.messagesByFid(fid, set, times, page)
}
