import type { Static, TSchema } from 'typebox'
import type { ParamSpecs, ParsedParams } from './input/params.ts'
import {
  read as declareRead,
  route as declareRoute,
  type Reply,
  type RouteFor,
  type RouteInput,
  type RouteSpec,
} from './route.ts'

type Answer<R extends TSchema> = Reply<Static<R> & object>

/** Declares routes whose handlers get the context of their folder before the request. */
export const routesFor = <C>() => ({
  route:
    <
      const Q extends ParamSpecs = Record<never, never>,
      const P extends ParamSpecs = Record<never, never>,
      B = undefined,
      R extends TSchema = TSchema,
    >(
      spec: RouteSpec<Q, P, B, R>,
      handler: (context: C, input: RouteInput<Q, P, B>) => Answer<R> | Promise<Answer<R>>,
    ): RouteFor<C> =>
    (context) =>
      declareRoute(spec, (input) => handler(context, input)),
  read:
    <const Q extends ParamSpecs = Record<never, never>, R extends TSchema = TSchema>(
      spec: Omit<RouteSpec<Q, Record<never, never>, undefined, R>, 'method' | 'body' | 'params'>,
      answer: (context: C, query: ParsedParams<Q>) => Promise<Answer<R>>,
      options?: Parameters<typeof declareRead<Q, R>>[2],
    ): RouteFor<C> =>
    (context) =>
      declareRead(spec, (query) => answer(context, query), options),
})
