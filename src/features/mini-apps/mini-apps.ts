import type { Registry } from 'prom-client'
import type { Logger } from '../../kernel/http/logger.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { MiniAppCatalogue } from './catalogue.ts'
import { cleaningJob } from './cleaning.ts'
import type { MiniAppContext } from './context.ts'
import { deliveryJob } from './deliveries.ts'
import { MiniAppEvents } from './events.ts'
import { miniAppMetrics } from './metrics.ts'
import { MiniAppNotices } from './notices.ts'
import { MiniAppUses } from './uses.ts'

/** Web apps that run inside clients. */
export type MiniApps = {
  /** Whether this server runs none. */
  readonly isOff: boolean
  readonly catalogue: MiniAppCatalogue
  readonly events: MiniAppEvents
  readonly notices: MiniAppNotices
  readonly uses: MiniAppUses
  readonly jobs: readonly Job[]
}

/** Where attempts to reach the servers of apps are logged and counted. */
export type Observers = {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly metrics: Registry
}

export function miniAppOperations(
  context: MiniAppContext,
  { logger, metrics }: Observers,
): MiniApps {
  const catalogue = new MiniAppCatalogue(context)
  return {
    isOff: context.settings.mode === 'off',
    catalogue,
    events: new MiniAppEvents(context, catalogue),
    notices: new MiniAppNotices(context),
    uses: new MiniAppUses(context, catalogue),
    jobs: [
      catalogue.job,
      deliveryJob(context, logger, miniAppMetrics(metrics)),
      cleaningJob(context),
    ],
  }
}
