import { systemClock } from '../clock.ts'
import { KeptAnswers } from '../http/kept-answers.ts'
import type { Notice, Opening, Order } from '../http/serving-messages.ts'
import { serveInThread } from '../http/thread-interface.ts'
import { joinStorage, type StorageSettings } from '../storage/storage.ts'
import { serveThread } from '../thread-server.ts'
import { accountRoutes } from './account-routes.ts'
import { eventRoutes } from './event-routes.ts'
import type { EventStreams } from './event-stream.ts'
import { jsonPresenter } from './json-presenter.ts'
import { messageRoutes } from './message-routes.ts'
import { ANSWERS_SHARE, type RenderedReads, renderedReads } from './rendered-reads.ts'
import type { HubSettings } from './settings.ts'

// A serving thread of the hub, started by module.ts: it answers the reads that depend on nothing but the store.

export type ReadThreadSettings = {
  readonly storage: StorageSettings
  readonly settings: HubSettings
  readonly renderedBytes: number
}

/** They depend on the chain that the process follows, and on its clock. */
const NOT_HERE = ['/v1/info', '/v1/storageLimitsByFid']

/** Forwarded, as everything that is not a plain read. */
const noStreams = {} as EventStreams

serveThread<Opening<ReadThreadSettings>, Order, Notice>((opening, post) => {
  const { settings, renderedBytes, storage: joined } = opening.settings
  const storage = joinStorage(joined)
  const reads = renderedReads(
    { storage, clock: systemClock, settings, signingNetwork: notHere },
    storage,
    renderedBytes,
  )
  const server = serveInThread(opening, {
    routes: plainRoutes(reads, settings),
    keptAnswers: new KeptAnswers(renderedBytes * ANSWERS_SHARE),
    post,
  })
  return {
    take: server.take,
    async close() {
      await server.close()
      await storage.close()
    },
  }
})

function plainRoutes(reads: RenderedReads, settings: HubSettings) {
  const json = jsonPresenter(settings.json)
  return [
    ...messageRoutes(reads, json),
    ...eventRoutes(reads, json, noStreams, settings.shards),
    ...accountRoutes(reads, json),
  ].filter(({ plainRead, spec }) => plainRead && !NOT_HERE.includes(spec.path))
}

function notHere(): never {
  throw new Error('a serving thread does not know the signing network')
}
