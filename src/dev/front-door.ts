import { checkHost } from '../kernel/http/admission.ts'
import type { RequestInfo, Route } from '../kernel/http/route.ts'
import { Rejection } from '../kernel/protocol/rejection.ts'

/** The helpers of a development network for its own web client: on its origin, and for its pages alone. */
export const frontDoorRoutes = (routes: readonly Route[]): Route[] =>
  routes.map(({ spec, handler }) => ({
    spec: { ...spec, errors: [...spec.errors, 'unauthorized'] },
    handler: (_, input) => {
      checkOwnPage(input.request)
      return handler(undefined, input)
    },
  }))

/** A page of another site could reset the network of a developer who visits it, or read its keys. */
function checkOwnPage({ headers }: RequestInfo): void {
  checkHost(headers.host, [])
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined || site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (isOwn && (origin === undefined || URL.parse(origin)?.host === headers.host)) return
  throw new Rejection('unauthorized', 'development helpers are for the pages of this network only')
}
