import type { Static } from 'typebox'
import type { Storage } from '../../kernel/storage/storage.ts'
import {
  miniAppDeliveryRows,
  miniAppNoticeRows,
  miniAppRows,
  miniAppUserRows,
} from '../mini-apps/port.ts'
import type { ExportMiniAppsReply } from './schemas.ts'

/** Notices of one page. */
const PAGE = 500
/** Rows of each of the other lists, which are shorter by their own bounds. */
const MAX_ROWS = 10_000

type Export = Static<typeof ExportMiniAppsReply>
type MiniAppStorage = Pick<Storage, 'of'>

/** A page of what this server keeps about an account and mini apps. */
export async function exportMiniApps(
  storage: MiniAppStorage,
  fid: number,
  token: Uint8Array | undefined,
): Promise<Export> {
  const miniApps = storage.of(miniAppRows)
  const miniAppUsers = storage.of(miniAppUserRows)
  const miniAppNotices = storage.of(miniAppNoticeRows)
  const miniAppDeliveries = storage.of(miniAppDeliveryRows)
  const isFirst = token === undefined
  const after = token && placeIn(token)
  const notices = await miniAppNotices.notices(fid, after, PAGE + 1)
  const page = notices.slice(0, PAGE)
  const none = Promise.resolve([])
  const [listed, added, opened, events, tokens] = await Promise.all([
    isFirst ? miniApps.ofAuthor(fid, MAX_ROWS) : none,
    isFirst ? miniAppUsers.listAdded(fid, MAX_ROWS) : none,
    isFirst ? miniAppUsers.usesOf(fid, MAX_ROWS) : none,
    isFirst ? miniAppDeliveries.ofFid(fid, MAX_ROWS) : none,
    isFirst ? miniAppNotices.tokensOf(fid, MAX_ROWS) : none,
  ])
  const ids = [...opened, ...events, ...tokens, ...page].map(({ app_id }) => app_id)
  const apps = await miniApps.byIds([...new Set(ids)])
  const domains = new Map(apps.map(({ id, domain }) => [id, domain]))
  const domain = ({ app_id }: { app_id: number }) => ({ domain: domains.get(app_id) ?? '' })
  return {
    listed: listed.map((app) => app.domain),
    added: added.map((row) => ({
      ...{ domain: row.domain, addedAt: row.added_at },
      notifies: row.notifies === 1,
    })),
    opened: opened.map((row) => ({ ...domain(row), openedAt: row.opened_at })),
    hidesUse: await miniAppUsers.hidesUse(fid),
    events: events.map((row) => ({
      ...{ ...domain(row), event: row.event, body: row.body, state: row.state },
    })),
    tokens: tokens.map((row) => ({ ...domain(row), token: row.token, state: row.state })),
    notices: page.map((row) => ({
      ...domain(row),
      ...{ notificationId: row.notification_id, title: row.title, body: row.body },
      ...{ targetUrl: row.target_url, createdAt: row.created_at },
    })),
    nextPageToken: notices.length > PAGE ? tokenOf(page.at(-1)!) : '',
  }
}

type Place = { created_at: number; app_id: number; notification_id: string }

const tokenOf = ({ created_at, app_id, notification_id }: Place): string =>
  Buffer.from(JSON.stringify([created_at, app_id, notification_id])).toString('base64')

/** The place that a token names; the end of the list for a token that is none. */
function placeIn(token: Uint8Array): [number, number, string] {
  try {
    const place: unknown = JSON.parse(Buffer.from(token).toString())
    if (Array.isArray(place)) {
      const [time, app, id] = place
      if (Number.isSafeInteger(time) && Number.isSafeInteger(app) && typeof id === 'string') {
        return [time, app, id.replaceAll('\0', '')]
      }
    }
  } catch {}
  return [0, 0, '']
}
