import { unixSeconds } from '../base/clock.ts'
import type { Module, ModuleContext } from '../module.ts'
import type { StoredMessage } from '../storage/messages/messages.ts'
import { type ErasuresOptions, erasureJob } from './erasures.ts'
import { createModerationMetrics } from './metrics.ts'
import { Moderation, type ModerationOptions } from './moderation.ts'
import { operatorModerationRoutes } from './operator-routes.ts'
import { type OwnerContext, ownerRoutes } from './owner-routes.ts'
import { type ActorOf, reportRoutes } from './report-routes.ts'
import { createReports } from './reports.ts'

type ModerationModuleOptions = Pick<ModerationOptions, 'news' | 'takeName'> &
  Pick<ErasuresOptions, 'eraseFromViews' | 'eraseMedia'> &
  Pick<OwnerContext, 'accounts' | 'verify' | 'domain' | 'network' | 'exportFile'> & {
    readonly actorOf: ActorOf
    /** The serialised message of a row. */
    readonly encode: (row: StoredMessage) => Uint8Array
  }

type ModerationModule = Module & { readonly moderation: Moderation }

/** Suspending, hiding and erasing, by the operator and by account owners; reports of users. */
export function createModerationModule(
  { storage, clock, metrics, jobs, logger, onError }: ModuleContext,
  options: ModerationModuleOptions,
): ModerationModule {
  const now = () => unixSeconds(clock)
  const moderation = new Moderation({
    ...options,
    storage,
    clock,
    metrics: createModerationMetrics(metrics, storage),
    runJob: jobs.run,
    onError,
  })
  const reports = createReports(storage, now)
  const { actorOf, encode, eraseFromViews, eraseMedia } = options
  return {
    name: 'moderation',
    moderation,
    jobs: [moderation.job, erasureJob({ storage, eraseFromViews, eraseMedia, log: logger })],
    routes: {
      platform: reportRoutes(reports, actorOf),
      accounts: ownerRoutes({ ...options, moderation, storage, now }),
    },
    operatorRoutes: operatorModerationRoutes({ moderation, reports, storage, encode }),
  }
}
