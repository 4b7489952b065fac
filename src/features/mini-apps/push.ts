import type { MiniAppContext } from './context.ts'
import type { MiniAppNotice } from './tables/mini-app-notices.ts'
import type { StoredMiniApp } from './tables/mini-apps.ts'

/** Longer paths of the web client are not pushed: the push opens the app at its start. */
const MAX_PATH_CHARACTERS = 1_024

/** Queues pushes of stored notices for the devices of their users. Users without a device cost one statement together. */
export async function pushNotices(
  { storage, clock, pushes }: Pick<MiniAppContext, 'storage' | 'clock' | 'pushes'>,
  { domain, name }: StoredMiniApp,
  notices: readonly MiniAppNotice[],
): Promise<void> {
  const push = pushes()
  if (!push || notices.length === 0) return
  const withDevice = await push.fidsWithDevices(
    storage,
    notices.map(({ fid }) => fid),
  )
  for (const { fid, notification_id, title, body, target_url } of notices) {
    if (!withDevice.has(fid)) continue
    const app = `/miniapps/${encodeURIComponent(domain)}`
    const path = `${app}?${new URLSearchParams({ url: target_url })}`
    const url = path.length > MAX_PATH_CHARACTERS ? app : path
    const notice = {
      fid,
      kind: 'apps',
      title: `${name}: ${title}`,
      body,
      url,
    } as const
    const tag = `${domain} ${notification_id}`
    await storage.write(`fid/${fid}`, (tx) => push.notify(tx, { ...notice, tag }, clock.now()))
  }
}
