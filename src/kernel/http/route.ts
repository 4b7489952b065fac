import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { Cost } from '../limits/cost.ts'
import type { Principal } from '../limits/cost-budget.ts'
import type { Limit } from '../limits/window.ts'
import type { RejectionCode } from '../protocol/rejection.ts'
import type { ParamSpecs, ParsedParams } from './input/params.ts'
import { cursorList } from './list-tags.ts'
import type { Logger } from './logger.ts'
import type { PartedBody } from './parted-body.ts'

/** The kind of a request body. */
export type BodySpec<T = unknown> = {
  kind: 'octets' | 'json'
  /** The schema of a JSON body; documentation only for octets. */
  schema: TSchema
  description?: string | undefined
  /** The documented schema in place of `schema`, where the handler checks more or has a better type. */
  documented?: object | undefined
  /** The largest body; for JSON JSON_BODY_LIMIT_BYTES unless given, for octets the limit of the interface. */
  maxBytes?: number | undefined
  /** Whether the handler gets a function that reads the body, to be called once it knows who sends it. */
  isUpload?: boolean
  /** Any JSON object or list: the handler has its own error codes for the content. */
  unchecked?: boolean
  /** For the compiler only: the type of the value that a handler receives. */
  value?: T
}

const BINARY = { type: 'string', format: 'binary' } as TSchema

/** Raw bytes as application/octet-stream; an empty body is no bytes. */
export const octets = (options: { description: string }): BodySpec<Uint8Array> => ({
  kind: 'octets',
  schema: BINARY,
  description: options.description,
})

/**
 * Raw bytes that may be many. The handler reads them with `await body()` once it knows who sends them, so that a stranger
 * takes no memory.
 */
export const uploadedOctets = (options: {
  description: string
  maxBytes: number
}): BodySpec<() => Promise<Uint8Array>> => ({
  kind: 'octets',
  schema: BINARY,
  description: options.description,
  maxBytes: options.maxBytes,
  isUpload: true,
})

/** JSON of exactly this shape: nothing is converted, and unknown keys are treated as the schema says. */
export const json = <S extends TSchema>(
  schema: S,
  options: { description?: string; documented?: object; maxBytes?: number } = {},
): BodySpec<Static<S>> => ({ kind: 'json', schema, ...options })

/** JSON that should have this shape. The handler gets it unchecked and checks each part. */
export const uncheckedJson = <S extends TSchema>(
  schema: S,
  options: { description?: string } = {},
): BodySpec<{ readonly [K in keyof Static<S>]?: unknown }> => ({
  kind: 'json',
  schema,
  unchecked: true,
  description: options.description,
})

/** Who sent a request, on an interface that asks for keys. */
export type Caller = {
  /** The limits count by it, in place of the address. */
  readonly id: string
  /** Requests in the window of a limit, in place of the limit's own number. */
  readonly limits: Readonly<Record<string, number | undefined>>
  /** Whether it may call no route that writes, as with a key that everybody knows. */
  readonly isReadOnly?: boolean
}

/** What a handler gets besides its declared parameters. */
export type RequestInfo = {
  /** The id of this request in the response, in errors and in the log. */
  readonly id: string
  /** The client's address; that of the peer unless the peer is a trusted proxy. */
  readonly ip: string
  readonly headers: IncomingHttpHeaders
  /** The prefix of the front door below which the request came; empty on the interface's own port. */
  readonly basePath: string
  /**
   * Charges what this request costs to the account or key in whose name it is made, such as `fid:12`, besides its
   * address. To be called once the name is proven, so that no caller spends the budget of another. Throws a Rejection
   * `rate_limited` when its budget is used up.
   */
  chargeTo(principal: Principal): void
  /** Charges bytes that a stream sends. */
  consume(bytes: number): void
  /** For how many ms the client is in debt: a stream waits as long before it sends more. */
  debtMs(): number
  /** Who sent it; on routes with `needsKey` only. */
  readonly caller: Caller | undefined
  /** Logs under the request's id. */
  readonly log: Logger
}

/** A stream is sent as it comes, and destroyed when its reader disconnects. */
export type Content = string | Uint8Array | Readable | PartedBody

/** An answer already written out, with its status and headers. */
export class Answer {
  /** The route's own status when undefined. */
  readonly status: number | undefined
  readonly contentType: string | undefined
  readonly body: Content
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly onClose: (() => void) | undefined

  constructor(body: Content, contentType: string | undefined, hints: AnswerHints = {}) {
    this.body = body
    this.contentType = contentType
    this.status = hints.status
    this.headers = hints.headers
    this.onClose = hints.onClose
  }
}

/** With an `etag` header, a client that already has the same answer gets 304. */
export type AnswerHints = {
  status?: number | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /**
   * For a body whose bytes other answers share: called when it was received or its reader has disconnected. The cost of the
   * route includes these bytes.
   */
  onClose?: (() => void) | undefined
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** JSON that is written already. */
export const jsonText = (text: string | Uint8Array, hints?: AnswerHints): Answer =>
  new Answer(text, JSON_TYPE, hints)

/** A JSON value with its own status or headers. */
export const jsonAnswer = (value: object, hints?: AnswerHints): Answer =>
  new Answer(JSON.stringify(value), JSON_TYPE, hints)

/** An answer that is not JSON. */
export const content = (body: Content, contentType: string, hints?: AnswerHints): Answer =>
  new Answer(body, contentType, hints)

/** Success without a body. */
export const noContent = new Answer('', undefined, { status: 204 })

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A group of operations in the API reference. */
export type Tag = { readonly name: string; readonly description: string }

/** A declared route; types, checks, errors and OpenAPI follow from it. */
export type RouteSpec<
  Q extends ParamSpecs = ParamSpecs,
  P extends ParamSpecs = ParamSpecs,
  B = unknown,
  R extends TSchema = TSchema,
> = {
  method: Method
  /** Case sensitive, with path parameters as `:name`. */
  path: string
  /** The path by which its cursors name their list, where a route is served below a second path too. */
  cursorPath?: string
  summary: string
  description?: string
  query?: Q
  /** The path parameters. */
  params?: P
  body?: BodySpec<B>
  /** The documented schema of a successful answer. */
  reply: TSchema & R
  /** The status of a returned value; 200 by default. */
  status?: 200 | 201 | 204
  /** The documented media type of an answer that is not JSON. */
  contentType?: string
  /** Error codes besides those that follow from the rest of the declaration. */
  errors?: readonly RejectionCode[]
  /** Bodies of errors other than the error body of the interface, by status. */
  otherReplies?: Readonly<Record<number, object>>
  /** Requires a key that the interface identifies the caller by. */
  needsKey?: boolean
  /** Whether the API reference leaves the route out. */
  undocumented?: boolean
  /** Requires credentials when the interface has some. */
  protected?: boolean
  /** Whether a route that refuses bad tokens (`unauthenticated`) also works without a token. */
  isTokenOptional?: boolean
  /** Whether a caller that may only read may call it with a bearer token. */
  writesByToken?: boolean
  /** Maximum cost of a request; by default derived from the rest of the declaration (`costOf`). */
  cost?: Cost
  /** What the parameters add to it; charged before the handler runs. */
  costOfQuery?(query: ParsedParams<Q>): Cost
  /** What the content of the body adds to it; charged before the handler runs. */
  costOfBody?(body: B): Cost
  /** The rate limit that requests count against: one of its own, or by its name one of the interface, which may have a setting. */
  limit?: Limit | string
  /** As how many requests a body counts there; 1 unless given. */
  countOfBody?(body: B): number
  /** Whether the operator's token is required. */
  isOperatorOnly?: boolean
  tags?: readonly Tag[]
}

/** Whether a route answers only requests with a token, which its handler checks. */
export const needsToken = ({ errors, isTokenOptional }: RouteSpec): boolean =>
  errors?.includes('unauthenticated') === true && !isTokenOptional

export type RouteInput<Q, P, B> = {
  query: ParsedParams<Q>
  params: ParsedParams<P>
  body: B
  request: RequestInfo
}

/** A returned value becomes the JSON body. */
export type Reply<R = object> = Answer | R

/** A declared route without its types, so that routes fit in one list. */
export type Route = {
  spec: RouteSpec
  /** Throws a Rejection for a request that lacks the credentials of the route, before its body is read. */
  admit?(headers: IncomingHttpHeaders): void
  handler(input: RouteInput<ParamSpecs, ParamSpecs, unknown>): Reply | Promise<Reply>
  /** Throws a Rejection for a request without a good token, where it is not one that the interface checks. */
  checkToken?(request: RequestInfo): Promise<unknown>
  /**
   * The version of the answer to these parameters, by which answers are cached: it differs when the answer may have
   * changed. Undefined when not known. Only for reads that depend on nothing but their query.
   */
  version?(query: ParsedParams<ParamSpecs>): number | undefined
}

/** Declares a GET that depends on nothing but its query parameters. */
export const read = <
  const Q extends ParamSpecs = Record<never, never>,
  R extends TSchema = TSchema,
>(
  spec: Omit<RouteSpec<Q, Record<never, never>, undefined, R>, 'method' | 'body' | 'params'>,
  answer: (query: ParsedParams<Q>) => Promise<Reply<Static<R> & object>>,
  {
    version,
    write,
  }: {
    readonly version?: ((query: ParsedParams<Q>) => number | undefined) | undefined
    /** Writes what `answer` returns; as JSON unless given. */
    readonly write?: (value: object) => Answer
  } = {},
): Route => {
  const { spec: declared, handler } = route<Q, Record<never, never>, undefined, R>(
    { ...spec, method: 'GET' },
    ({ query }) => answer(query),
  )
  return {
    spec: declared,
    handler: write
      ? async (input) => {
          const reply = await handler(input)
          return reply instanceof Answer ? reply : write(reply)
        }
      : handler,
    ...(version && { version }),
  }
}

/** Declares a route. A parameter `target_fid` reaches the handler as `query.targetFid`. */
export const route = <
  const Q extends ParamSpecs = Record<never, never>,
  const P extends ParamSpecs = Record<never, never>,
  B = undefined,
  R extends TSchema = TSchema,
>(
  spec: RouteSpec<Q, P, B, R>,
  handler: (
    input: RouteInput<Q, P, B>,
  ) => Reply<Static<R> & object> | Promise<Reply<Static<R> & object>>,
): Route => {
  const declared: Route = { spec, handler }
  const list = cursorList(declared.spec)
  if (!list) return declared
  return {
    ...declared,
    handler: async (input) => {
      const reply = await declared.handler(input)
      return reply instanceof Answer ? reply : list.tagged(reply, input.query)
    },
  }
}

/** A declared route that still needs the context of its folder: what its handler works with. */
export type RouteFor<C> = (context: C) => Route
