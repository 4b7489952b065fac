import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { Thread } from '../base/thread.ts'
import type { Job } from '../jobs/job.ts'
import type { Module, ModuleContext } from '../module.ts'
import { DAY_SECONDS, HOUR_MS, MINUTE_MS, networkTime } from '../protocol/time.ts'
import type { Storage } from '../storage/storage.ts'
import { eraseFrom } from './erase.ts'
import { Follower, POLL_MS } from './follower.ts'
import { createViewMetrics } from './metrics.ts'
import { viewsOperatorRoutes, viewsStatus } from './operator-routes.ts'
import type { Deliveries, Views } from './port.ts'
import { checkSetAsideShare } from './set-aside-share.ts'
import type { ViewConfig } from './settings.ts'
import type { ViewsRequest, ViewsResponse, ViewsThreadSettings } from './thread-requests.ts'

export type ViewsModule = Module & {
  /** Undefined when the settings leave the views out. */
  readonly views: Views | undefined
  readonly deliveries: Deliveries | undefined
}

export type ViewsModuleOptions = {
  /** Messages that wait to be merged. */
  queueDepth(): number
  /** Whether this server mirrors another hub: messages may be far older than their events. */
  readonly isMirror: boolean
  /** Calls `serveViews`, with what the views read beside the kernel. */
  readonly script: URL
  /** The names of the features of this server, which may have such reads. */
  readonly features: readonly string[]
}

/** After the start, when the views of a small network are there. */
const FIRST_RANKING_MS = 5_000
/** Older notices are not served. */
export const NOTICE_DAYS = 60
const NOTICES_PER_TRANSACTION = 1_000

type Ask = (request: ViewsRequest) => Promise<ViewsResponse>

/** Keeps the tables behind feeds, counts, search and notifications, in a thread of its own. */
export function createViewsModule(
  context: ModuleContext,
  config: ViewConfig,
  options: ViewsModuleOptions,
): ViewsModule {
  if (!config.views) {
    return { name: 'views', views: undefined, deliveries: undefined }
  }
  const { storage } = context
  const settings: ViewsThreadSettings = {
    storage: storage.settings,
    holder: randomUUID(),
    isMirror: options.isMirror,
    features: options.features,
  }
  const thread = new Thread<ViewsRequest, ViewsResponse>(options.script, settings)
  const ask = async (request: ViewsRequest): Promise<ViewsResponse> => {
    const response = await thread.ask(request)
    if (response.failure !== undefined) throw new Error(response.failure)
    return response
  }
  const views = followerOf(context, ask, options)
  let endSignals = () => {}
  return {
    name: 'views',
    views,
    deliveries: deliveriesOf(storage, ask),
    erase: eraseFrom(views, ask),
    jobs: viewsJobs(context.clock, ask),
    checks: [
      {
        name: 'views',
        check: async () => checkSetAsideShare(views.setAside, await storage.messages.count()),
      },
    ],
    details: {
      views: () => viewsStatus(views),
    },
    operatorRoutes: viewsOperatorRoutes(views, storage),
    async start() {
      endSignals = storage.signals.on('events', () => views.wake())
      views.start()
    },
    async stop() {
      endSignals()
      await views.close()
      await thread.close()
    },
  }
}

/** The follower and its metrics. */
function followerOf(
  { storage, clock, metrics, onError }: ModuleContext,
  ask: Ask,
  { queueDepth }: ViewsModuleOptions,
): Follower {
  const views = new Follower({
    async step() {
      const { step } = await ask({ kind: 'step' })
      return step!
    },
    async rebuild() {
      await ask({ kind: 'rebuild' })
    },
    async oldestWaiting() {
      const position = await storage.views.position()
      const [first] = await storage.events.list((position?.cursor ?? 0) + 1, 1, 1)
      return {
        eventId: first?.id,
        isBuilding: position === undefined || position.build !== undefined,
      }
    },
    queueDepth,
    now: () => clock.now(),
    resets: storage.resets,
    pollMs: () => Math.max(POLL_MS, storage.signals.pollMs),
    onStep({ events, newlySetAside }, seconds) {
      report.step(events, seconds)
      for (const { part, id, reason } of newlySetAside) {
        onError(new Error(`the views have set aside: ${part} ${id}: ${reason}`), 'views')
      }
    },
    onError: (error) => onError(error, 'views'),
  })
  const report = createViewMetrics(metrics, views, () => storage.messages.count())
  return views
}

const deliveriesOf = ({ views }: Storage, ask: Ask): Deliveries => ({
  heads: () => views.firstDeliveries(),
  head: (webhook) => views.firstDelivery(webhook),
  count: (webhook, limit) => views.deliveryCount(webhook, limit),
  async remove(key) {
    await ask({ kind: 'remove deliveries', keys: [key] })
  },
  async postpone(key, attempts, due) {
    await ask({ kind: 'postpone delivery', delivery: { ...key, attempts, due } })
  },
  async drop(webhook) {
    await ask({ kind: 'drop deliveries', webhook })
  },
})

const viewsJobs = (clock: Clock, ask: Ask): Job[] => [
  {
    name: 'prune notices',
    scope: 'leader',
    everyMs: HOUR_MS,
    async run({ signal }) {
      const beforeAt = networkTime(clock.now()) - NOTICE_DAYS * DAY_SECONDS
      const limit = NOTICES_PER_TRANSACTION
      for (let pruned = limit; pruned === limit; ) {
        signal.throwIfAborted()
        const { count = 0 } = await ask({ kind: 'prune notices', beforeAt, limit })
        pruned = count
      }
    },
  },
  {
    name: 'rank casts',
    scope: 'leader',
    everyMs: MINUTE_MS,
    firstAfterMs: FIRST_RANKING_MS,
    run: () => ask({ kind: 'rank casts', nowMs: clock.now() }),
  },
  {
    name: 'count channel activity',
    scope: 'leader',
    everyMs: 5 * MINUTE_MS,
    firstAfterMs: FIRST_RANKING_MS,
    run: () => ask({ kind: 'count activity', nowMs: clock.now() }),
  },
]
