import type { Route } from '../http/route.ts'
import { eventRoutes } from './events/event-routes.ts'
import type { EventStreams } from './events/event-stream.ts'
import type { Hub } from './hub.ts'
import { accountRoutes } from './reads/account-routes.ts'
import { jsonPresenter } from './reads/json-presenter.ts'
import { messageRoutes } from './reads/message-routes.ts'
import type { HubReads } from './reads/reads.ts'
import type { HubSettings } from './settings.ts'
import { submitRoutes } from './submit/submit-routes.ts'

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
