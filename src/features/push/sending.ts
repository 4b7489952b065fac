import { mapAtMost } from '../../kernel/base/concurrency.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { checkLease, type JobRun } from '../../kernel/jobs/job.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { type PushResult, type PushTerms, sendPush } from './send-push.ts'
import { getPushKey } from './server-key.ts'
import type { PushDevice, WaitingPush } from './tables/pushes.ts'
import { pushRows } from './tables/pushes.ts'

// Sends the pushes that wait. Each is sent at least once, and a few times more if the push service does not take it.

const EVERY_MS = 1_000
/** Pushes of one batch, each to another account, and how many are sent at the same time. */
const MAX_PER_BATCH = 64
const MAX_IN_FLIGHT = 32
/** The waits after failures. A push that fails once more is given up. */
export const PUSH_WAITS_MS = [30_000, 120_000, 600_000, 1_800_000] as const
const MAX_WAIT_MS = 3_600_000
/** A device is removed after so many pushes in a row that were given up. */
export const MAX_FAILURES = 10

export const PUSH_OUTCOMES = ['sent', 'failed', 'refused', 'gone', 'expired'] as const
export type PushOutcome = (typeof PUSH_OUTCOMES)[number]

export type SendingTerms = Pick<PushTerms, 'rules'> & {
  readonly subject: () => Promise<PushTerms['subject']>
  readonly storage: Pick<Storage, 'of' | 'write'>
  /** Unix milliseconds. */
  readonly nowMs: () => number
  /** Whether a key may still act for an account. */
  readonly isActiveKey: (fid: number, key: Uint8Array) => Promise<boolean>
  readonly count: (outcome: PushOutcome) => void
}

type Sent = { readonly push: WaitingPush; readonly outcome: PushOutcome; readonly waitMs?: number }

export const sendingJob = (terms: SendingTerms): Job => ({
  name: 'send pushes',
  scope: 'leader',
  everyMs: EVERY_MS,
  firstAfterMs: EVERY_MS,
  async run(run) {
    while ((await sendDue(terms, run)) > 0) {}
  },
})

/**
 * Sends the first push of each account that is due, and notes what became of it. So an account whose devices do not answer keeps
 * nobody else's waiting for longer than one attempt. Returns the number of pushes.
 */
async function sendDue(terms: SendingTerms, { signal, lease }: JobRun): Promise<number> {
  const { storage, nowMs, isActiveKey, count } = terms
  const due = await storage.of(pushRows).firstDue(nowMs(), MAX_PER_BATCH)
  if (due.length === 0) return 0
  const devices = await storage.of(pushRows).devices([...new Set(due.map(({ device }) => device))])
  const deviceOf = new Map(devices.map((device) => [device.id, device]))
  const key = await getPushKey(storage, nowMs())
  const subject = await terms.subject()
  const send = async (push: WaitingPush): Promise<Sent> => {
    const device = deviceOf.get(push.device)
    if (!device || !(await isActiveKey(device.fid, device.signer))) return { push, outcome: 'gone' }
    if (push.expires_at <= nowMs()) return { push, outcome: 'expired' }
    const result = await sendPush(push, device, {
      ...terms,
      subject,
      key,
      now: nowMs(),
      stop: signal,
    })
    return sentOf(push, result)
  }
  const sent = await mapAtMost(due, MAX_IN_FLIGHT, send)
  await storage.write('all/pushes', async (tx) => {
    if (lease) await checkLease(tx, lease)
    const known = await tx.of(pushRows).devices(devices.map(({ id }) => id))
    const unregistered = new Set(sent.filter(isUnregistered).map(({ push }) => push.device))
    const noted = known.map((device) => afterSending(device, sent, nowMs()))
    for (const { id, failures } of noted) if (failures >= MAX_FAILURES) unregistered.add(id)
    await tx.of(pushRows).noteSent(noted)
    await tx.of(pushRows).removeWaiting(sent.filter(isOver).map(({ push }) => push.id))
    await tx
      .of(pushRows)
      .postpone(
        sent.flatMap(({ push: { id, attempts }, waitMs }) =>
          waitMs === undefined ? [] : [{ id, attempts: attempts + 1, due: nowMs() + waitMs }],
        ),
      )
    // What else waits for a device that fails would fail too.
    await tx
      .of(pushRows)
      .postponeDevices(
        sent.flatMap(({ push: { device }, outcome, waitMs = PUSH_WAITS_MS[0] }) =>
          outcome === 'failed' ? [{ device, due: nowMs() + waitMs }] : [],
        ),
      )
    await tx.of(pushRows).removeDevices([...unregistered])
  })
  for (const { outcome } of sent) count(outcome)
  return due.length
}

const isUnregistered = ({ outcome }: Sent): boolean => outcome === 'gone'
const isOver = ({ waitMs }: Sent): boolean => waitMs === undefined

function sentOf(push: WaitingPush, result: PushResult): Sent {
  if (result.outcome !== 'failed') return { push, outcome: result.outcome }
  const wait = PUSH_WAITS_MS[push.attempts]
  if (wait === undefined) return { push, outcome: 'failed' }
  return {
    push,
    outcome: 'failed',
    waitMs: Math.min(MAX_WAIT_MS, Math.max(wait, result.retryAfterMs ?? 0)),
  }
}

/** A device with its failures in a row after these pushes. */
function afterSending(device: PushDevice, all: readonly Sent[], now: number): PushDevice {
  const own = all.filter(({ push }) => push.device === device.id)
  if (own.some(({ outcome }) => outcome === 'sent')) {
    return { ...device, failures: 0, pushed_at: Math.floor(now / 1_000) }
  }
  const givenUp = own.filter(
    (one) => isOver(one) && (one.outcome === 'failed' || one.outcome === 'refused'),
  )
  return { ...device, failures: device.failures + givenUp.length }
}
