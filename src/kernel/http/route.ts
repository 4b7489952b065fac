import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import { type Cost, mayWrite, type UsualCost } from '../limits/cost.ts'
import type { Principal } from '../limits/cost-budget.ts'
import type { Limit } from '../limits/window.ts'
import type { RejectionCode } from '../protocol/rejection.ts'
import type { LentBytes } from './answer-memory.ts'
import type { ParamSpecs, ParsedParams } from './input/params.ts'
import { cursorList } from './list-tags.ts'
import type { Logger } from './logger.ts'
import type { PartedBody } from './parted-body.ts'

/** The kind of a request body. */
export type BodySpec<T = unknown> = {
  kind: 'octets' | 'json' | 'form'
  /** The schema of a JSON body or a form; documentation only for octets. */
  schema: TSchema
  description?: string | undefined
  /** The documented schema in place of `schema`, where the handler checks more or has a better type. */
  documented?: object | undefined
  /** The largest body; for JSON JSON_BODY_LIMIT_BYTES and for a form FORM_BODY_LIMIT_BYTES unless given, for octets the limit of the interface. */
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

/**
 * Fields of text as HTML forms send them, in either encoding of these; for calls whose shape others have fixed.
 */
export const form = <S extends TSchema>(
  schema: S,
  options: { description?: string; maxBytes?: number } = {},
): BodySpec<Static<S>> => ({ kind: 'form', schema, ...options })

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
  /** The limits count by it, in place of the address; undefined for a key that everybody knows. */
  readonly id: string | undefined
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
  /**
   * Refuses a client that has as many unread bytes as it may have, before its answer is looked up; it pays as if a part had
   * been read. For routes of large files.
   */
  checkUnread(): void
  /** For how many ms the client is in debt: a stream waits as long before it sends more. */
  debtMs(): number
  /** The app that sent it, on routes that need its key. */
  readonly caller: Caller | undefined
  /** Logs under the request's id. */
  readonly log: Logger
}

/** A stream is sent as it comes, and destroyed when its reader disconnects; lent bytes are given back. */
export type Content = string | Uint8Array | LentBytes | Readable | PartedBody

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
export const jsonText = (text: string | Uint8Array | LentBytes, hints?: AnswerHints): Answer =>
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

/** Method and path. Paths are case sensitive, with path parameters as `:name`. */
export type Call = `${Method} ${string}`

/** Who may call a route. */
export type Callers = keyof typeof CALLERS

/** What each kind of callers has to show. */
const CALLERS = {
  anyone: {},
  /** Who has the credentials of the interface, if it asks for some. */
  credentials: {},
  /** Who has the token of the operator; the interface adds the check. */
  operator: {},
  /** A user, by a bearer token that the handler checks. */
  user: { token: 'required' },
  'anyone or user': { token: 'optional' },
  /** An app, by a key that the interface identifies it by. */
  app: { key: true },
  'user of an app': { key: true, token: 'required' },
  'app or its user': { key: true, token: 'optional' },
} as const satisfies Record<string, { key?: true; token?: 'required' | 'optional' }>

/** What a caller of a route has to show. */
export const credentialsOf = ({
  callers,
}: Pick<RouteSpec, 'callers'>): { readonly key?: true; readonly token?: 'required' | 'optional' } =>
  CALLERS[callers]

/** Whether a route answers only requests with a token, which its handler checks. */
export const needsToken = (spec: Pick<RouteSpec, 'callers'>): boolean =>
  credentialsOf(spec).token === 'required'

/** The part of a declared route that is the same for all contexts; checks, errors and OpenAPI follow from it. */
export type RouteSpec<
  Q extends ParamSpecs = ParamSpecs,
  P extends ParamSpecs = ParamSpecs,
  B = unknown,
> = {
  readonly method: Method
  readonly path: string
  readonly callers: Callers
  readonly summary: string
  readonly description?: string
  /** Whether the API reference leaves the route out. */
  readonly undocumented?: boolean
  readonly tags?: readonly Tag[]
  readonly query?: Q
  /** The path parameters. */
  readonly params?: P
  readonly body?: BodySpec<B>
  /** The documented schema of a successful answer. */
  readonly reply: TSchema
  /** The status of a returned value; 200 by default. */
  readonly status?: 200 | 201 | 204
  /** The documented media type of an answer that is not JSON. */
  readonly contentType?: string
  /** Error codes besides those that follow from the rest of the declaration. */
  readonly errors: readonly RejectionCode[]
  /** Bodies of errors other than the error body of the interface, by status. */
  readonly otherReplies?: Readonly<Record<number, object>>
  /** Maximum cost of a request. */
  readonly cost: Cost | UsualCost
  /** What the parameters add to it; charged before the handler runs. */
  costOfQuery?(query: ParsedParams<Q>): Cost
  /** What the content of the body adds to it; charged before the handler runs. */
  costOfBody?(body: B): Cost
  /**
   * The rate limit that requests count against: one of its own, or by its name one of the interface, which may have a setting.
   * A call by an app counts as `write` if it may write, else as `read`, unless another one is given.
   */
  readonly limit?: Limit | string
  /** As how many requests a body counts there; 1 unless given. */
  countOfBody?(body: B): number
  /** The path by which its cursors name their list, where a route is served below a second path too. */
  readonly cursorPath?: string
}

/** A reply that is not a JSON value: its documented schema, and how it is written. */
export type Written<C, V> = {
  readonly schema: TSchema
  write(
    context: C,
    value: V,
    input: RouteInput<ParamSpecs, ParamSpecs, unknown>,
  ): Answer | Promise<Answer>
}

/** What a handler answers, by the declared reply. */
type ValueOf<R> =
  R extends Written<never, infer V> ? V : R extends TSchema ? Static<R> & object : never

/** Where a read gets its data from, if that is more than the context. */
export type From<C, X> = {
  readonly errors: readonly RejectionCode[]
  /** Calls the handler with the context that it is to read from. */
  answer(
    context: C,
    input: RouteInput<ParamSpecs, ParamSpecs, unknown>,
    handler: (context: C, more: X) => Promise<Reply>,
    isWhole: (reply: Reply) => boolean,
  ): Promise<Reply>
}

/** Everything that is decided about a route besides its method and path. */
export type Declaration<
  C,
  Q extends ParamSpecs,
  P extends ParamSpecs,
  B,
  R extends TSchema | Written<never, never>,
  X,
> = Omit<RouteSpec<Q, P, B>, 'method' | 'path' | 'reply'> & {
  /** The schema of a successful answer. A handler returns such a value, or an Answer. */
  readonly reply: R
  readonly from?: From<C, X>
  /** Of a read of things by their ids: whether none is missing. A source that is behind may not have them yet. */
  isWhole?(reply: ValueOf<R>, query: ParsedParams<Q>): boolean
  /**
   * The version of the answer to these parameters, by which answers are cached: it differs when the answer may have
   * changed. Undefined when not known. Only for reads that depend on nothing but their query.
   */
  readonly version?: (context: C, query: ParsedParams<Q>) => number | undefined
  /** Throws a Rejection for a request without a good token, where it is not one that the interface checks. */
  readonly checkToken?: (context: C, request: RequestInfo) => Promise<unknown>
  readonly handler: (
    context: C,
    input: RouteInput<Q, P, B> & X,
  ) => Reply<ValueOf<R>> | Promise<Reply<ValueOf<R>>>
}

export type RouteInput<Q, P, B> = {
  query: ParsedParams<Q>
  params: ParsedParams<P>
  body: B
  request: RequestInfo
}

/** A returned value becomes the JSON body. */
export type Reply<R = object> = Answer | R

/** A declared route that needs the context of its folder: what its handler works with. Undefined: it has it. */
export type Route<C = undefined> = {
  readonly spec: RouteSpec
  /** Throws a Rejection for a request that lacks the credentials of the route, before its body is read. */
  readonly admit?: (headers: IncomingHttpHeaders) => void
  readonly checkToken?: (context: C, request: RequestInfo) => Promise<unknown>
  readonly version?: (context: C, query: ParsedParams<ParamSpecs>) => number | undefined
  readonly handler: (
    context: C,
    input: RouteInput<ParamSpecs, ParamSpecs, unknown>,
  ) => Reply | Promise<Reply>
}

/** Parameters as other functions pass them: optional ones may be left out. */
type Given<T> = Partial<T> & { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }

/** A route as it was declared, which other reads may ask, too. */
type Declared<C, Q extends ParamSpecs, V, X> = Route<C> & {
  /** What the handler answers. A cursor in it continues the list of the route. */
  answer(context: C, input: { readonly query: Given<ParsedParams<Q>> } & X): Promise<V>
}

/** Declares a route. A parameter `target_fid` reaches the handler as `query.targetFid`. */
export function route<
  C = unknown,
  const Q extends ParamSpecs = Record<never, never>,
  const P extends ParamSpecs = Record<never, never>,
  B = undefined,
  const R extends TSchema | Written<never, never> = TSchema,
  X = unknown,
>(
  call: Call,
  {
    reply,
    from,
    isWhole,
    version,
    checkToken,
    handler,
    ...declared
  }: Declaration<C, Q, P, B, R, X>,
): Declared<C, Q, ValueOf<R>, X> {
  const written = 'write' in reply ? (reply as Written<C, unknown>) : undefined
  const spec = specOf(
    call,
    {
      ...(declared as object as Omit<RouteSpec, 'method' | 'path'>),
      reply: written?.schema ?? (reply as TSchema),
    },
    from?.errors,
  )
  const answer = tagged(spec, handler as object as Route<C>['handler'])
  const read = from ? readFrom(from, answer, isWhole as never) : answer
  return {
    spec,
    ...(version && { version: version as NonNullable<Route<C>['version']> }),
    ...(checkToken && { checkToken }),
    handler: written
      ? async (context, input) => written.write(context, await read(context, input), input)
      : read,
    answer: answer as never,
  }
}

/** Method and path apart, and with what follows from the callers. */
function specOf(
  call: Call,
  declared: Omit<RouteSpec, 'method' | 'path'>,
  errors: readonly RejectionCode[] = [],
): RouteSpec {
  const [method, path] = call.split(' ') as [Method, string]
  const spec = { ...declared, method, path }
  const { key, token } = credentialsOf(spec)
  const writes = mayWrite(spec)
  return {
    ...spec,
    ...(key && { limit: spec.limit ?? (writes ? 'write' : 'read') }),
    errors: [
      ...(token ? (['unauthenticated'] as const) : []),
      ...spec.errors,
      ...errors,
      ...(key && writes ? (['unauthorized'] as const) : []),
    ],
  }
}

/** The handler of a list with cursors that name the list. */
function tagged<C>(spec: RouteSpec, handler: Route<C>['handler']): Route<C>['handler'] {
  const list = cursorList(spec)
  if (!list) return handler
  return async (context, input) => {
    const reply = await handler(context, input)
    return reply instanceof Answer ? reply : list.tagged(reply, input.query)
  }
}

const readFrom =
  <C, X>(
    { answer }: From<C, X>,
    handler: Route<C>['handler'],
    isWhole: (reply: Reply, query: object) => boolean = () => true,
  ): Route<C>['handler'] =>
  (context, input) =>
    answer(
      context,
      input,
      async (chosen, more) => handler(chosen, { ...input, ...more }),
      (reply) => isWhole(reply, input.query),
    )

/** Gives routes the context that their handlers work with. */
export const bind = <C>(context: C, routes: readonly Route<C>[]): Route[] =>
  routes.map(({ spec, admit, checkToken, version, handler }) => ({
    spec,
    ...(admit && { admit }),
    ...(checkToken && { checkToken: (_, request) => checkToken(context, request) }),
    ...(version && { version: (_, query) => version(context, query) }),
    handler: (_, input) => handler(context, input),
  }))
