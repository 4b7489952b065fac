import { bind, type Route } from '../../../kernel/http/route.ts'
import { ownChannelRoutes } from '../channels/own-channel-routes.ts'
import type { MediaPort, PreviewsPort } from '../ports.ts'
import { appOwnRoutes } from './app-routes.ts'
import { castRoutes } from './cast-routes.ts'
import { channelReportRoute } from './channel-report-route.ts'
import type { WritesContext } from './context.ts'
import { crawlRoute } from './crawl-route.ts'
import { graphRoutes } from './graph-routes.ts'
import { mediaRoutes } from './media-routes.ts'
import { messageRoute } from './message-route.ts'
import { platformRoutes } from './platform-routes.ts'
import { profileRoutes } from './profile-routes.ts'

type Parts = {
  readonly media: MediaPort | undefined
  readonly previews: PreviewsPort | undefined
}

/** Every route of the app API that writes. Those of uploads and previews are there where features of this server have them. */
export const writeRoutes = (context: WritesContext, { media, previews }: Parts): Route[] => [
  ...castRoutes(context),
  ...graphRoutes(context),
  ...profileRoutes(context),
  ...platformRoutes(context),
  ...appOwnRoutes(context),
  ...bind(context, [channelReportRoute, messageRoute]),
  ...ownChannelRoutes(context),
  ...(media ? mediaRoutes({ ...context, media }) : []),
  ...(previews ? bind({ previews }, [crawlRoute]) : []),
]
