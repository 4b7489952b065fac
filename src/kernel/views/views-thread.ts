import { badgeRows } from '../../features/badges/tables/badges.ts'
import { collectThoroughly } from '../base/idle-memory.ts'
import { answerInOrder, serveThread } from '../base/thread-server.ts'
import { joinStorage } from '../storage/storage.ts'
import { openViewStore } from '../storage/views/view-store.ts'
import { viewWriter } from '../storage/views/view-writer.ts'
import { Indexer } from './indexer.ts'
import { createMatcher } from './matcher.ts'
import { activityOfPlaces, rankCasts, TREND_GENERATIONS } from './ranking.ts'
import { createScores } from './scores.ts'
import type { ViewsRequest, ViewsResponse, ViewsThreadSettings } from './thread-requests.ts'
import { castSubjectStart } from './webhooks/subject.ts'

// The only writer of the views. Requests are answered one after the other, each in a transaction.

serveThread((settings: ViewsThreadSettings, post: (response: ViewsResponse) => void) => {
  const tools = openTools(settings)
  const answer = (request: ViewsRequest) => answerOf(tools, request)
  return answerInOrder(post, answer, async () => {
    await tools.views.close()
    await tools.storage.close()
  })
})

type Tools = ReturnType<typeof openTools>

function openTools(settings: ViewsThreadSettings) {
  const storage = joinStorage(settings.storage)
  const views = openViewStore(settings.storage)
  const scores = createScores(storage.of(badgeRows))
  const indexer = new Indexer({
    storage,
    views,
    matcher: createMatcher(storage, scores, settings),
    holder: settings.holder,
    now: Date.now,
    ...(settings.bounds && { bounds: settings.bounds }),
  })
  return { storage, views, scores, indexer, isBuilding: false }
}

async function answerOf(tools: Tools, request: ViewsRequest): Promise<ViewsResponse> {
  try {
    return await run(tools, request)
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

async function run(tools: Tools, request: ViewsRequest): Promise<ViewsResponse> {
  const { storage, views, scores, indexer } = tools
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
    request.kind === 'rank casts' ? await rankCasts(storage, await scores(), request.nowMs) : []
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
        return writer.dropDeliveriesAbout(castSubjectStart(request.fid), request.upTo)
      case 'merge words':
        return writer.mergeWords(request.table, request.begins)
      case 'postpone delivery':
        await writer.postponeDelivery(request.delivery)
        return 1
    }
  })
  return { count }
}
