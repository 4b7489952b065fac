import { Courier, type Delivery, type DeliveryQueue } from '../../kernel/deliveries/courier.ts'
import { type SendResult, sendDelivery } from '../../kernel/deliveries/send.ts'
import { tellSent } from '../../kernel/deliveries/sent.ts'
import type { Logger } from '../../kernel/http/logger.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { isFullGaslessKey } from '../../kernel/platform/gasless-keys.ts'
import { fromBase64, fromHex, fromUtf8 } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import { miniAppPart } from './catalogue.ts'
import type { MiniAppContext } from './context.ts'
import { manifestOf } from './schemas.ts'
import type { MiniAppDelivery } from './tables/mini-app-deliveries.ts'
import { miniAppDeliveryRows } from './tables/mini-app-deliveries.ts'
import type { StoredMiniApp } from './tables/mini-apps.ts'
import { miniAppRows } from './tables/mini-apps.ts'

// Sends events that users have signed to the servers of apps. What has ended stays as the log of the app.

const POLL_MS = 250
/** The number of apps whose deliveries are read at once; the next read continues after them. */
const MAX_HEADS = 200
/** Events of one app that its author has sent again in a day; each is kept for a week. */
const MAX_AGAIN_PER_DAY = 1_000
const AGAIN = 'mini app events sent again'

type Context = Pick<MiniAppContext, 'storage' | 'now' | 'clock' | 'accounts' | 'settings'>
type Waiting = MiniAppDelivery & Delivery

/** The job that sends the waiting events. */
export function deliveryJob(
  context: Context,
  log: Pick<Logger, 'info' | 'warn'>,
  count: (outcome: 'delivered' | 'failed' | 'dropped') => void,
): Job {
  const queue = queueOf(context)
  const courier = new Courier<Waiting>({
    queue,
    log,
    count,
    nowMs: () => context.clock.now(),
    send: (delivery, stop) => send(context, delivery, stop),
    giveUp: (target, fault, delivery) =>
      delivery ? queue.end(delivery, 'dropped', fault) : queue.drop(target, fault),
  })
  return {
    name: 'mini app deliveries',
    scope: 'leader',
    everyMs: POLL_MS,
    firstAfterMs: POLL_MS,
    run: ({ signal }) => courier.run(signal),
  }
}

const waiting = (row: MiniAppDelivery): Waiting => ({
  ...row,
  target: String(row.app_id),
  queuedAt: row.queued_at,
})

function queueOf({ storage, clock }: Context): DeliveryQueue<Waiting> {
  let after = 0
  /** Deliveries change under the lock of their app. */
  const write = async (appId: number, work: Parameters<typeof storage.write>[1]) => {
    const app = await storage.of(miniAppRows).byId(appId)
    if (app) await storage.write(miniAppPart(app.domain), work)
  }
  return {
    async heads() {
      const rows = await storage.of(miniAppDeliveryRows).heads(after, MAX_HEADS)
      after = rows.length < MAX_HEADS ? 0 : rows.at(-1)!.app_id
      return rows.map(waiting)
    },
    async head(target) {
      const row = await storage.of(miniAppDeliveryRows).head(Number(target))
      return row && waiting(row)
    },
    count: (target, limit) => storage.of(miniAppDeliveryRows).waitingCount(Number(target), limit),
    end: ({ app_id, n, attempts }, state, answer) =>
      write(app_id, (tx) =>
        tx.of(miniAppDeliveryRows).end({
          ...{ app_id, n, state, answer },
          attempts: attempts + 1,
          ended_at: clock.now(),
        }),
      ),
    postpone: ({ app_id, n }, attempts, due, answer) =>
      write(app_id, (tx) =>
        tx.of(miniAppDeliveryRows).postpone({ app_id, n, attempts, due, answer }),
      ),
    drop: (target, why) =>
      write(Number(target), (tx) =>
        tx.of(miniAppDeliveryRows).drop(Number(target), why, clock.now()),
      ),
  }
}

/** Sends an event again that was sent or given up: for whoever mends a server. */
export async function sendAgain(
  { storage, clock }: Pick<MiniAppContext, 'storage' | 'clock'>,
  { id, domain }: StoredMiniApp,
  n: number,
): Promise<void> {
  await storage.write(miniAppPart(domain), async (tx) => {
    const row = await tx.of(miniAppDeliveryRows).find(id, n)
    if (!row) throw new Rejection('not_found', `${domain} has no delivery ${n}`, { field: 'n' })
    if (row.state === 'waiting') return
    const now = clock.now()
    const quota = new Quota(AGAIN, await tx.quotas.used(AGAIN, [String(id)]))
    const terms = { windowMs: DAY_MS, max: MAX_AGAIN_PER_DAY }
    const exceeded = quota.tryConsume(String(id), terms, now)
    if (exceeded) throw refusalOf(exceeded, `${MAX_AGAIN_PER_DAY} events are sent again in a day`)
    await tx.quotas.put(quota.changed)
    const again = { state: 'waiting', attempts: 0, due: now, queued_at: now } as const
    await tx.of(miniAppDeliveryRows).add({ ...row, ...again, answer: null, ended_at: null })
  })
}

/** The address is that of the manifest now; it may be on another host, where a service receives events. */
async function send(
  context: Context,
  delivery: Waiting,
  stop: AbortSignal,
): Promise<SendResult | 'inactive' | 'obsolete'> {
  const app = await context.storage.of(miniAppRows).byId(delivery.app_id)
  if (!app || app.state === 'removed') return 'inactive'
  const { webhookUrl } = manifestOf(app)
  if (webhookUrl === undefined) return 'inactive'
  if (!(await isStillValid(context, delivery))) return 'obsolete'
  const { fetchLoopback: allowLoopback } = context.settings
  const deliveryId = `${app.domain}:${delivery.n}`
  tellSent(() => ({
    by: context.storage,
    id: deliveryId,
    what: {
      kind: 'mini-app event',
      url: webhookUrl,
      domain: app.domain,
      fid: delivery.fid,
      event: delivery.event,
      notifies: 'notificationDetails' in payloadOf(delivery),
    },
  }))
  return sendDelivery(
    { url: new URL(webhookUrl), body: delivery.body, deliveryId },
    { allowLoopback },
    { stop },
  )
}

const payloadOf = ({ body }: MiniAppDelivery): object => {
  const { payload } = JSON.parse(body) as { payload: string }
  return JSON.parse(fromUtf8(fromBase64(payload)!)!)
}

/** An event of a key that was removed meanwhile would not verify. */
async function isStillValid({ storage, accounts, now }: Context, { fid, body }: MiniAppDelivery) {
  const { header } = JSON.parse(body) as { header: string }
  const key = fromHex(JSON.parse(fromUtf8(fromBase64(header)!)!).key)!
  if (await accounts.isActiveKey(fid, key)) return true
  return isFullGaslessKey(storage, { fid, key }, now())
}
