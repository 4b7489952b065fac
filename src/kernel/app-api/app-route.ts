import type { From, RequestInfo } from '../http/route.ts'
import type { AppCaller } from './apps.ts'
import type { AppContext, Viewer } from './context.ts'
import { awaitViews } from './own-writes.ts'

/** The uuid of the app that calls. */
export const appOf = ({ caller }: RequestInfo): string => (caller as AppCaller).app.uuid

/** Who looks: the app that calls, and perhaps one of its users. */
export const viewerOf = <F extends number | undefined>(request: RequestInfo, viewer: F) => ({
  app: appOf(request),
  viewer,
  headers: request.headers,
})

/**
 * Reads the views, from standbys where there are some, once they have what the client has written before. The viewer is the
 * app, and the account that the parameter `viewer_fid` names.
 */
export const VIEWS: From<AppContext, { readonly viewer: Viewer }> = {
  errors: ['bad_request.invalid_param'],
  async answer(context, { query, request }, handler, isWhole) {
    const eventId = await awaitViews(context, request)
    const { viewerFid } = query as { viewerFid?: number }
    const viewer = viewerOf(request, viewerFid)
    return context.standbys.answer(
      context,
      eventId,
      (chosen) => handler(chosen, { viewer }),
      isWhole,
    )
  },
}
