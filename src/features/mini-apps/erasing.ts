import type { Module } from '../../kernel/module.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { miniAppPart } from './catalogue.ts'
import { miniAppDeliveryRows } from './tables/mini-app-deliveries.ts'
import { miniAppNoticeRows } from './tables/mini-app-notices.ts'
import { miniAppUserRows } from './tables/mini-app-users.ts'
import { miniAppRows } from './tables/mini-apps.ts'

/** No account has listed more. */
const MAX_OWN_APPS = 10_000

/** Removes what an account has added and opened, what it was told, and the apps that it has listed. */
export const eraseMiniApps =
  (storage: Pick<Storage, 'of' | 'write'>): NonNullable<Module['erase']> =>
  async (fid) => {
    const own = await storage.of(miniAppRows).ofAuthor(fid, MAX_OWN_APPS)
    const parts = own.map(({ domain }) => miniAppPart(domain))
    await storage.write(['all/mini-apps', `fid/${fid}`, ...parts], async (tx) => {
      await tx.of(miniAppRows).eraseOf(fid)
      await tx.of(miniAppUserRows).erase(fid)
      await tx.of(miniAppNoticeRows).erase(fid)
      await tx.of(miniAppDeliveryRows).erase(fid)
    })
    return true
  }
