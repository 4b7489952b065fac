import type { Static, TSchema } from 'typebox'
import type { ParamSpecs } from '../http/input/params.ts'
import {
  type Reply,
  type RequestInfo,
  type Route,
  type RouteInput,
  type RouteSpec,
  route,
} from '../http/route.ts'
import type { RejectionCode } from '../protocol/rejection.ts'
import type { AppCaller } from './apps.ts'
import type { AppContext } from './context.ts'
import { awaitViews } from './own-writes.ts'

/** The limit that a route counts against. */
export type AppLimit = 'read' | 'write' | 'search'

/** All paths of the app API begin with it. */
export const PREFIX = '/v2/farcaster'

type Spec<Q extends ParamSpecs, P extends ParamSpecs, B, R extends TSchema> = Omit<
  RouteSpec<Q, P, B, R>,
  'limit' | 'needsKey'
> & {
  /** `read` by default for GET, else `write`. */
  limit?: AppLimit
}

/** The app that sent a request. */
export const callerOf = ({ caller }: Pick<RequestInfo, 'caller'>): AppCaller => caller as AppCaller

/** Declares a route of the app API; its path is below PREFIX. */
export const appRoute = <
  const Q extends ParamSpecs = Record<never, never>,
  const P extends ParamSpecs = Record<never, never>,
  B = undefined,
  R extends TSchema = TSchema,
>(
  { path, limit, ...spec }: Spec<Q, P, B, R>,
  handler: (
    input: RouteInput<Q, P, B> & { readonly caller: AppCaller },
  ) => Reply<Static<R> & object> | Promise<Reply<Static<R> & object>>,
): Route =>
  route<Q, P, B, R>(
    {
      ...spec,
      path: PREFIX + path,
      ...(spec.method !== 'GET' && { errors: [...(spec.errors ?? []), 'unauthorized'] }),
      needsKey: true,
      limit: limit ?? (spec.method === 'GET' ? 'read' : 'write'),
    } as RouteSpec<Q, P, B, R>,
    (input) => handler({ ...input, caller: callerOf(input.request) }),
  )

/** Declares a route that reads the derived tables: it waits until they have what the caller has written. */
export const viewRoute =
  (context: AppContext) =>
  <
    const Q extends ParamSpecs = Record<never, never>,
    const P extends ParamSpecs = Record<never, never>,
    R extends TSchema = TSchema,
  >(
    spec: Omit<Spec<Q, P, undefined, R>, 'method'>,
    handler: (
      input: RouteInput<Q, P, undefined> & { readonly caller: AppCaller },
    ) => Promise<Reply<Static<R> & object>>,
  ): Route =>
    appRoute<Q, P, undefined, R>(
      { ...spec, method: 'GET', errors: [...(spec.errors ?? []), ...VIEW_ERRORS] } as Spec<
        Q,
        P,
        undefined,
        R
      >,
      async (input) => {
        await awaitViews(context, input.request)
        return handler(input)
      },
    )

const VIEW_ERRORS: readonly RejectionCode[] = ['bad_request.invalid_param']
