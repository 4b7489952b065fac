import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Route } from '../../kernel/http/route.ts'
import type { Module, ModuleContext } from '../../kernel/module.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import { Appeals } from './appeals.ts'
import { type ErasuresOptions, erasureJob } from './erasures.ts'
import { type MemberContext, memberRoutes } from './member-routes.ts'
import { createModerationMetrics } from './metrics.ts'
import { Moderation, type ModerationOptions } from './moderation.ts'
import { operatorModerationRoutes } from './operator-routes.ts'
import { type OwnerContext, ownerRoutes } from './owner-routes.ts'
import { type ActorOf, reportRoutes } from './report-routes.ts'
import { createReports } from './reports.ts'
import { type CallerOf, Staff } from './staff.ts'
import { staffRoutes } from './staff-routes.ts'

type ModerationModuleOptions = Pick<ModerationOptions, 'news' | 'takeName' | 'removeFile'> &
  Pick<ErasuresOptions, 'erasers'> &
  Pick<OwnerContext, 'accounts' | 'verify' | 'domain' | 'network' | 'exportFile'> & {
    readonly actorOf: ActorOf
    readonly callerOf: CallerOf & MemberContext['callerOf']
    readonly uploadersOf: Parameters<typeof staffRoutes>[2]['uploadersOf']
    /** Operator's routes of other modules that accounts with a role may call too. */
    readonly staffCalls: readonly Route[]
    /** The serialised message of a row. */
    readonly encode: (row: StoredMessage) => Uint8Array
  }

type ModerationModule = Module & { readonly moderation: Moderation }

/** Suspending, hiding and erasing, by the operator and by account owners; reports of users. */
export function createModerationModule(
  { storage, clock, mode, metrics, jobs, logger, onError }: ModuleContext,
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
  const reports = createReports(storage, moderation, now)
  const { actorOf, callerOf, encode, erasers, staffCalls, uploadersOf } = options
  const appeals = new Appeals(storage, moderation, now)
  const staff = new Staff({ storage, clock, mode, moderation, callerOf })
  const operatorRoutes = operatorModerationRoutes({
    ...{ moderation, reports, appeals, staff },
    ...{ storage, encode },
  })
  return {
    name: 'moderation',
    moderation,
    jobs: [moderation.job, erasureJob({ storage, erasers, log: logger })],
    routes: {
      platform: [
        ...reportRoutes(reports, actorOf),
        ...memberRoutes({ storage, appeals, callerOf }),
        ...staffRoutes([...operatorRoutes, ...staffCalls], staff, { storage, uploadersOf }),
      ],
      accounts: ownerRoutes({ ...options, moderation, storage, now }),
    },
    operatorRoutes,
    onMerged: (tx, _, events) => staff.onMerged(tx, events),
  }
}
