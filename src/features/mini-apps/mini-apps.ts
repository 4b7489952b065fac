import type { Job } from '../../kernel/jobs/job.ts'
import type { PlatformContext } from '../platform/context.ts'
import { MiniAppCatalogue } from './catalogue.ts'
import { cleaningJob } from './cleaning.ts'
import { deliveryJob } from './deliveries.ts'
import { MiniAppEvents } from './events.ts'
import { MiniAppNotices } from './notices.ts'
import { MiniAppUses } from './uses.ts'

/** Web apps that run inside clients. */
export type MiniApps = {
  readonly catalogue: MiniAppCatalogue
  readonly events: MiniAppEvents
  readonly notices: MiniAppNotices
  readonly uses: MiniAppUses
  readonly jobs: readonly Job[]
}

export function createMiniApps(context: PlatformContext): MiniApps {
  const catalogue = new MiniAppCatalogue(context)
  return {
    catalogue,
    events: new MiniAppEvents(context, catalogue),
    notices: new MiniAppNotices(context),
    uses: new MiniAppUses(context, catalogue),
    jobs: [
      catalogue.job,
      deliveryJob(context, context.log, context.countDelivery),
      cleaningJob(context),
    ],
  }
}
