import type { Module } from '../../kernel/module.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { miniAppPart } from './catalogue.ts'

/** No account has listed more. */
const MAX_OWN_APPS = 10_000

/** Removes what an account has added and opened, what it was told, and the apps that it has listed. */
export const eraseMiniApps =
  (storage: Pick<Storage, 'miniApps' | 'write'>): NonNullable<Module['erase']> =>
  async (fid) => {
    const own = await storage.miniApps.ofAuthor(fid, MAX_OWN_APPS)
    const parts = own.map(({ domain }) => miniAppPart(domain))
    await storage.write(['all/mini-apps', `fid/${fid}`, ...parts], async (tx) => {
      await tx.miniApps.eraseOf(fid)
      await tx.miniAppUsers.erase(fid)
      await tx.miniAppNotices.erase(fid)
      await tx.miniAppDeliveries.erase(fid)
    })
    return true
  }
