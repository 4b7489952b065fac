import type { Static, TSchema } from 'typebox'
import type { ParamSpecs, ParsedParams } from '../http/input/params.ts'
import { cursorList } from '../http/list-tags.ts'
import { type Reply, type RouteFor, type RouteInput, type RouteSpec, route } from '../http/route.ts'
import { mayWrite } from '../limits/cost.ts'
import type { AppCaller } from './apps.ts'
import type { AppContext, Viewer } from './context.ts'
import { awaitViews } from './own-writes.ts'

/** The limit that a route counts against. */
export type AppLimit = 'read' | 'write' | 'search'

/** All paths of the app API begin with it. */
const PREFIX = '/v2/farcaster'

/** No path of the app API has parameters. */
type NoParams = Record<never, never>

type Spec<Q extends ParamSpecs, B, R extends TSchema> = Omit<
  RouteSpec<Q, NoParams, B, R>,
  'limit' | 'needsKey' | 'params'
> & {
  /** `write` by default for what may write, else `read`. */
  limit?: AppLimit
}

/** Declares a route of the app API; its path is below PREFIX. The handler also gets the uuid of the app that calls. */
export const appRoute =
  <C, const Q extends ParamSpecs = NoParams, B = undefined, R extends TSchema = TSchema>(
    { path, limit, ...spec }: Spec<Q, B, R>,
    handler: (
      context: C,
      input: RouteInput<Q, NoParams, B> & { readonly app: string },
    ) => Reply<Static<R> & object> | Promise<Reply<Static<R> & object>>,
  ): RouteFor<C> =>
  (context) =>
    route<Q, NoParams, B, R>(
      {
        ...spec,
        path: PREFIX + path,
        ...(mayWrite(spec) && { errors: [...(spec.errors ?? []), 'unauthorized'] }),
        needsKey: true,
        limit: limit ?? (mayWrite(spec) ? 'write' : 'read'),
      } as RouteSpec<Q, NoParams, B, R>,
      (input) => handler(context, { ...input, app: (input.request.caller as AppCaller).app.uuid }),
    )

/** Parameters as other functions pass them: optional ones may be left out. */
type Given<T> = Partial<T> & { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }

/** A read, as a route and as a function for other reads. */
type ViewRead<Q, R> = RouteFor<AppContext> & {
  /** What the route answers. The cursor continues the list of the route. */
  answer(context: AppContext, viewer: Viewer, query: Given<ParsedParams<Q>>): Promise<R>
}

type ViewReadSpec<Q extends ParamSpecs, R extends TSchema> = Omit<
  Spec<Q, undefined, R>,
  'method' | 'body'
> & {
  /** Of a read of things by their ids: whether none is missing. A standby may not have them yet. */
  readonly isWhole?: (reply: Static<R> & object, query: ParsedParams<Q>) => boolean
}

/**
 * Declares a GET that reads the views, from standbys where there are some. It waits until they have what the client has
 * written before.
 */
export const viewRead = <const Q extends ParamSpecs = NoParams, R extends TSchema = TSchema>(
  { isWhole = () => true, ...spec }: ViewReadSpec<Q, R>,
  handler: (
    context: AppContext,
    viewer: Viewer,
    query: ParsedParams<Q>,
  ) => Promise<Static<R> & object>,
): ViewRead<Q, Static<R> & object> => {
  const list = cursorList({ ...spec, path: PREFIX + spec.path })
  const toRoute = appRoute<AppContext, Q, undefined, R>(
    {
      ...spec,
      method: 'GET',
      errors: [...(spec.errors ?? []), 'bad_request.invalid_param'],
    } as Spec<Q, undefined, R>,
    async (context, { query, app, request }) => {
      const eventId = await awaitViews(context, request)
      const { viewerFid } = query as { viewerFid?: number }
      return context.standbys.answer(
        context,
        eventId,
        (chosen) => handler(chosen, { app, viewer: viewerFid }, query),
        (reply) => isWhole(reply, query),
      )
    },
  )
  return Object.assign(toRoute, {
    async answer(context: AppContext, viewer: Viewer, given: Given<ParsedParams<Q>>) {
      const query = given as ParsedParams<Q>
      const reply = await handler(context, viewer, query)
      return list ? list.tagged(reply, query) : reply
    },
  })
}
