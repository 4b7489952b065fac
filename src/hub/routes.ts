import type { Route } from '../http/route.ts'
import { accountRoutes } from './account-routes.ts'
import { eventRoutes } from './event-routes.ts'
import type { EventStreams } from './event-stream.ts'
import type { Hub } from './hub.ts'
import { jsonPresenter } from './json-presenter.ts'
import { messageRoutes } from './message-routes.ts'
import type { HubReads } from './reads.ts'
import type { HubSettings } from './settings.ts'
import { submitRoutes } from './submit-routes.ts'

/** Every path of the hub's HTTP interface. */
export function hubRoutes(
  hub: Hub,
  reads: HubReads,
  streams: EventStreams,
  settings: HubSettings,
): Route[] {
  const json = jsonPresenter(settings.json)
  return [
    ...submitRoutes(hub, settings),
    ...messageRoutes(reads, json),
    ...eventRoutes(reads, json, streams),
    ...accountRoutes(reads, json),
  ]
}
