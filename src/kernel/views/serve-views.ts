import { collectThoroughly } from '../base/idle-memory.ts'
import { answerInOrder, serveThread } from '../base/thread-server.ts'
import { joinStorage, type Storage } from '../storage/storage.ts'
import { openViewStore } from '../storage/views/view-store.ts'
import { viewWriter } from '../storage/views/view-writer.ts'
import { Indexer } from './indexer.ts'
import { createMatcher, type Listeners } from './matcher.ts'
import { activityOfPlaces, rankCasts, TREND_GENERATIONS } from './ranking.ts'
import type { Standing } from './scores.ts'
import type { ViewsRequest, ViewsResponse, ViewsThreadSettings } from './thread-requests.ts'
import { castSubjectStart, erasedSubject } from './webhooks/subject.ts'

/** What the views read beside the kernel. */
export type ViewSources = { readonly standing: Standing; readonly listeners: Listeners }
/** `features` are the names of those of this server. */
type SourcesIn = (storage: Storage, features: readonly string[]) => Partial<ViewSources>

const NO_STANDING: Standing = { scores: async () => undefined, excluded: async () => new Set() }
const NO_LISTENERS: Listeners = { active: async () => [], version: async () => 'none' }

/** Serves the thread that alone writes the views. Requests are answered one after the other, each in a transaction. */
export const serveViews = (sourcesIn: SourcesIn): void =>
  serveThread((settings: ViewsThreadSettings, post: (response: ViewsResponse) => void) => {
    const tools = openTools(settings, sourcesIn)
    const answer = (request: ViewsRequest) => answerOf(tools, request)
    return answerInOrder(post, answer, async () => {
      await tools.views.close()
      await tools.storage.close()
    })
  })

type Tools = ReturnType<typeof openTools>

function openTools(settings: ViewsThreadSettings, sourcesIn: SourcesIn) {
  const storage = joinStorage(settings.storage)
  const views = openViewStore(settings.storage)
  const { standing = NO_STANDING, listeners = NO_LISTENERS } = sourcesIn(storage, settings.features)
  const indexer = new Indexer({
    storage,
    views,
    matcher: createMatcher(storage, listeners, standing.scores, settings),
    holder: settings.holder,
    now: Date.now,
    ...(settings.bounds && { bounds: settings.bounds }),
  })
  return { storage, views, standing, indexer, isBuilding: false }
}

async function answerOf(tools: Tools, request: ViewsRequest): Promise<ViewsResponse> {
  try {
    return await run(tools, request)
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

async function run(tools: Tools, request: ViewsRequest): Promise<ViewsResponse> {
  const { storage, views, standing, indexer } = tools
  if (request.kind === 'step') {
    const step = await indexer.step()
    const isBuilding = step.ratio !== undefined
    // A build holds several times as much as what follows. When submits follow at once, the thread is not idle.
    if (tools.isBuilding && !isBuilding) collectThoroughly()
    tools.isBuilding = isBuilding
    return { step }
  }
  if (request.kind === 'rebuild') {
    await indexer.rebuild()
    return {}
  }
  // Read outside of the transaction, which other processes would wait for.
  const trends =
    request.kind === 'rank casts' ? await rankCasts(storage, standing, request.nowMs) : []
  const activity =
    request.kind === 'count activity' ? await activityOfPlaces(storage, request.nowMs) : []
  const count = await views.write(async (sql) => {
    const writer = viewWriter(sql, views.engine)
    switch (request.kind) {
      case 'rank casts':
        await writer.putTrends(trends, TREND_GENERATIONS)
        return trends.length
      case 'count activity':
        await writer.putActivity(activity)
        return activity.length
      case 'prune notices':
        return writer.pruneNotices(request.beforeAt, request.limit)
      case 'remove deliveries':
        return writer.removeDeliveries(request.keys)
      case 'drop deliveries':
        return writer.dropDeliveries(request.webhook)
      case 'erase':
        await writer.removeLostPlaces()
        return writer.changeSubjects(castSubjectStart(request.fid), request.upTo, erasedSubject)
      case 'merge words':
        return writer.mergeWords(request.table, request.begins)
      case 'postpone delivery':
        await writer.postponeDelivery(request.delivery)
        return 1
    }
  })
  return { count }
}
