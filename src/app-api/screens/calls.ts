import type { Static, TSchema } from 'typebox'
import { compileQuery } from '../../http/input/query.ts'
import { cursorList } from '../../http/list-tags.ts'
import { Answer, type RequestInfo, type Route } from '../../http/route.ts'

// A screen is made of calls of the app API: each part of its answer is the answer of such a call, with the same
// checks. A client therefore reads the next page of a list with that call.

type Values = Readonly<Record<string, string | number | boolean | undefined>>

export type Calls = {
  /** The answer of the GET with this path below the prefix, for the caller of the request. */
  get<R extends TSchema>(
    request: RequestInfo,
    path: string,
    reply: R,
    values: Values,
  ): Promise<Static<R>>
}

export function callsOf(routes: readonly Route[], prefix: string): Calls {
  const readers = new Map(
    routes
      .filter(({ spec }) => spec.method === 'GET')
      .map((route) => [
        route.spec.path,
        { ...route, readQuery: compileQuery(route.spec.query ?? {}, cursorList(route.spec)) },
      ]),
  )
  return {
    async get(request, path, reply, values) {
      const call = readers.get(prefix + path)
      if (!call || call.spec.reply !== reply) throw new Error(`no call ${path} with this answer`)
      const query = call.readQuery(`?${queryText(values)}`)
      const answer = await call.handler({ query, params: {}, body: undefined, request })
      if (answer instanceof Answer) throw new Error(`${path} does not answer with a value`)
      return answer as Static<typeof reply>
    },
  }
}

const queryText = (values: Values): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
