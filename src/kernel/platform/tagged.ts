import { hash } from 'node:crypto'
import { Answer, jsonText, type RouteFor } from '../http/route.ts'

/** JSON with an etag of its text: a client with the same etag gets 304. */
export function taggedJson(value: object): Answer {
  const text = JSON.stringify(value)
  return jsonText(text, { headers: { etag: `W/"${hash('sha1', text, 'base64url')}"` } })
}

/** The same for the answers of a route that needs more than its query. */
export const tagged =
  <C>(of: RouteFor<C>): RouteFor<C> =>
  (context) => {
    const route = of(context)
    return {
      ...route,
      async handler(input) {
        const reply = await route.handler(input)
        return reply instanceof Answer ? reply : taggedJson(reply)
      },
    }
  }
