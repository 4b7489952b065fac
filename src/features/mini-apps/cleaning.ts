import type { Job } from '../../kernel/jobs/job.ts'
import { DAY_SECONDS, HOUR_MS } from '../../kernel/protocol/time.ts'
import type { MiniAppContext } from './context.ts'
import { miniAppCampaignRows } from './tables/mini-app-campaigns.ts'
import { miniAppDeliveryRows } from './tables/mini-app-deliveries.ts'
import { miniAppNoticeRows } from './tables/mini-app-notices.ts'
import { miniAppUserRows } from './tables/mini-app-users.ts'

/** For how long these are kept. */
const USE_DAYS = 30
const NOTICE_DAYS = 60
const DISABLED_TOKEN_DAYS = 30
const DELIVERY_LOG_DAYS = 7
const CAMPAIGN_DAYS = 30

/** The job that deletes old uses, notices, tokens, unsigned events and entries of the log of deliveries. */
export const cleaningJob = (context: Pick<MiniAppContext, 'storage' | 'now'>): Job => ({
  name: 'clean mini apps',
  scope: 'leader',
  everyMs: HOUR_MS,
  async run({ signal }) {
    while (!signal.aborted && (await forgetSome(context)) > 0) {}
  },
})

/** Deletes a batch of each kind in one transaction, and returns how many rows. */
function forgetSome({ storage, now }: Pick<MiniAppContext, 'storage' | 'now'>): Promise<number> {
  const before = (days: number) => now() - days * DAY_SECONDS
  return storage.write('all/mini-apps', async (tx) => {
    const uses = await tx.of(miniAppUserRows).forgetUses(before(USE_DAYS))
    const notices = await tx.of(miniAppNoticeRows).forget({
      notices: before(NOTICE_DAYS),
      tokens: before(DISABLED_TOKEN_DAYS),
    })
    await tx.of(miniAppCampaignRows).forget(before(CAMPAIGN_DAYS))
    const deliveries = await tx.of(miniAppDeliveryRows).forget({
      events: now(),
      deliveries: before(DELIVERY_LOG_DAYS) * 1_000,
    })
    return uses + notices + deliveries
  })
}
