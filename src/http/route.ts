import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { RejectionCode } from '../protocol/rejection.ts'
import type { Logger } from './logger.ts'
import type { ParamSpecs, ParsedParams } from './params.ts'

/** What a request body must be. */
export type BodySpec<T = unknown> = {
  kind: 'octets' | 'json'
  /** What a JSON body is held against; documentation for octets. */
  schema: TSchema
  description?: string | undefined
  /** What the document says instead of `schema`, where the handler asks for more or has a better type. */
  documented?: object | undefined
  /** Any JSON object or list will do: the handler has codes of its own for what is wrong with it. */
  unchecked?: boolean
  /** Only for the compiler: the type of the value a handler receives. */
  value?: T
}

/** Raw bytes, sent as application/octet-stream; none sent are no bytes. */
export const octets = (options: { description: string }): BodySpec<Uint8Array> => ({
  kind: 'octets',
  schema: { type: 'string', format: 'binary' } as TSchema,
  description: options.description,
})

/** JSON of just this shape: nothing is converted, and unknown keys are as the schema says. */
export const json = <S extends TSchema>(
  schema: S,
  options: { description?: string; documented?: object } = {},
): BodySpec<Static<S>> => ({ kind: 'json', schema, ...options })

/** JSON that should be of this shape. The handler gets it as it comes, and has to check each part. */
export const uncheckedJson = <S extends TSchema>(
  schema: S,
  options: { description?: string } = {},
): BodySpec<{ readonly [K in keyof Static<S>]?: unknown }> => ({
  kind: 'json',
  schema,
  unchecked: true,
  description: options.description,
})

/** What a handler may know of its request besides what it declared. */
export type RequestInfo = {
  /** Names this request in the response, in errors and in the log. */
  readonly id: string
  /** The client's address; that of the peer unless the peer is a trusted proxy. */
  readonly ip: string
  readonly headers: IncomingHttpHeaders
  /** Writes under the request's id. */
  readonly log: Logger
}

/** A stream is sent as it comes, and destroyed when its reader goes away. */
export type Content = string | Uint8Array | Readable

/** An answer already written out, with its status and headers. */
export class Answer {
  /** The route's own status when undefined. */
  readonly status: number | undefined
  readonly contentType: string | undefined
  readonly body: Content
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(body: Content, contentType: string | undefined, hints: AnswerHints = {}) {
    this.body = body
    this.contentType = contentType
    this.status = hints.status
    this.headers = hints.headers
  }
}

/** With an `etag` among the headers, a client that already has it is answered 304. */
export type AnswerHints = { status?: number; headers?: Readonly<Record<string, string>> }

export const JSON_TYPE = 'application/json; charset=utf-8'

/** JSON that is text already, whole or in pieces to be put together. */
export const jsonText = (text: string | readonly string[], hints?: AnswerHints): Answer =>
  new Answer(typeof text === 'string' ? text : text.join(''), JSON_TYPE, hints)

/** A value as JSON under a status or headers of its own. */
export const jsonAnswer = (value: object, hints?: AnswerHints): Answer =>
  new Answer(JSON.stringify(value), JSON_TYPE, hints)

/** Anything that is not JSON. */
export const content = (body: Content, contentType: string, hints?: AnswerHints): Answer =>
  new Answer(body, contentType, hints)

/** Done, and nothing to say. */
export const noContent = new Answer('', undefined, { status: 204 })

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A group of operations in the API reference. */
export type Tag = { readonly name: string; readonly description: string }

/** A route as declared; types, checks, errors and OpenAPI all come from here. */
export type RouteSpec<
  Q extends ParamSpecs = ParamSpecs,
  P extends ParamSpecs = ParamSpecs,
  B = unknown,
  R extends TSchema = TSchema,
> = {
  method: Method
  /** Case sensitive, parts to be filled in as `:name`. */
  path: string
  summary: string
  description?: string
  query?: Q
  /** The `:name` parts of the path. */
  params?: P
  body?: BodySpec<B>
  /** The shape of a successful answer, as documented. */
  reply: TSchema & R
  /** The status of a plain value; 200 unless given. */
  status?: 200 | 201 | 204
  /** The documented type of an answer that is not JSON. */
  contentType?: string
  /** Codes a caller should expect besides those that follow from the rest of the declaration. */
  errors?: readonly RejectionCode[]
  /** Bodies of refusals that are not, or not only, the error body of the interface, by status. */
  otherReplies?: Readonly<Record<number, object>>
  /** Asks for credentials where the interface has some. */
  protected?: boolean
  /** Whether a route that refuses bad tokens (`unauthenticated`) does without one. */
  isTokenOptional?: boolean
  /** Which of the interface's rate limits the route counts against. */
  limit?: string
  /** Whether the operator's secret is asked for. */
  isOperatorOnly?: boolean
  tags?: readonly Tag[]
}

export type RouteInput<Q, P, B> = {
  query: ParsedParams<Q>
  params: ParsedParams<P>
  body: B
  request: RequestInfo
}

/** A plain value becomes JSON. */
export type Reply<R = object> = Answer | R

export type Handler = (input: RouteInput<ParamSpecs, ParamSpecs, unknown>) => Reply | Promise<Reply>

/** A declared route with its types forgotten, so that routes fit in one list. */
export type Route = { spec: RouteSpec; handler: Handler }

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
): Route => ({ spec: spec as unknown as RouteSpec, handler: handler as unknown as Handler })
