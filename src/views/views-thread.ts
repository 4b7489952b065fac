import { parentPort, workerData } from 'node:worker_threads'
import { serial } from '../serial.ts'
import { joinStorage } from '../storage/storage.ts'
import { openViewStore } from '../storage/view-store.ts'
import { viewWriter } from '../storage/view-writer.ts'
import { CLOSE } from '../thread.ts'
import { Indexer } from './indexer.ts'
import { createMatcher } from './matcher.ts'
import { activityOfPlaces, rankCasts, TREND_GENERATIONS } from './ranking.ts'
import { createScores } from './scores.ts'
import type { ViewsRequest, ViewsResponse, ViewsThreadSettings } from './thread-requests.ts'

// The only writer of the views. Requests are answered one after the other, each in a transaction.

const settings = workerData as ViewsThreadSettings
const storage = joinStorage(settings.storage)
const views = openViewStore(settings.storage)
const scores = createScores(storage.badges)
const indexer = new Indexer({
  storage,
  views,
  matcher: createMatcher(storage, scores),
  holder: settings.holder,
  now: Date.now,
  ...(settings.bounds && { bounds: settings.bounds }),
})
const queue = serial()

parentPort?.on('message', (request: ViewsRequest | typeof CLOSE) => {
  void queue.run(() => (request === CLOSE ? close() : answer(request)))
})

async function close(): Promise<void> {
  await views.close()
  await storage.close()
  parentPort?.postMessage(CLOSE)
}

async function answer(request: ViewsRequest): Promise<void> {
  let response: ViewsResponse
  try {
    response = await run(request)
  } catch (error) {
    response = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
  parentPort?.postMessage(response)
}

async function run(request: ViewsRequest): Promise<ViewsResponse> {
  if (request.kind === 'step') return { step: await indexer.step() }
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
    const writer = viewWriter(sql, views.kind)
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
      case 'postpone delivery':
        await writer.postponeDelivery(request.delivery)
        return 1
    }
  })
  return { count }
}
