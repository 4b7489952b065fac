import { readClient } from '../../limits/client.ts'
import { refusalOf } from '../../limits/exceeded.ts'
import { Quota } from '../../limits/quota.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { Writer } from '../../storage/storage.ts'
import { MAX_RECOVERIES, type Recovery } from '../../storage/tables/sign-in/recoveries.ts'

// Limits of requests for a new key of an account, in all processes and over restarts. A request cannot be proven. Limits by
// network keep strangers from displacing the requests of others. A new request displaces an old one, so that strangers who
// ask first do not keep the owner out.

const QUOTA = 'recovery requests'
const DAY_MS = 86_400_000
/** Requests in a day. */
const MAX_ASKED = { byNetwork: 5, byProvider: 10, forAccountByProvider: 3 } as const
/** Undecided requests for one account. */
const MAX_PER_FID = 20

/** Where a request comes from, and when, in Unix ms. */
type Origin = { readonly ip: string; readonly now: number }

/** Stores a request, in a transaction under the lock of the hub. Throws a Rejection when there are too many. */
export async function addRequest(
  tx: Pick<Writer, 'quotas' | 'recoveries'>,
  recovery: Recovery,
  origin: Origin,
): Promise<void> {
  const { fid, receiver } = recovery
  const before = await tx.recoveries.byReceiver(receiver)
  if (before?.due_at) {
    throw new Rejection('bad_request.conflict', 'the move to this key has been started already')
  }
  await count(tx.quotas, fid, origin)
  if (before?.fid !== fid) await makeRoom(tx.recoveries, fid)
  await tx.recoveries.put(recovery)
}

async function count(quotas: Writer['quotas'], fid: number, { ip, now }: Origin): Promise<void> {
  const { network, provider } = readClient(ip)
  const bounds = [
    [`network/${network}`, MAX_ASKED.byNetwork],
    [`provider/${provider}`, MAX_ASKED.byProvider],
    [`${fid}/provider/${provider}`, MAX_ASKED.forAccountByProvider],
  ] as const
  const subjects = bounds.map(([subject]) => subject)
  const quota = new Quota(QUOTA, await quotas.used(QUOTA, subjects))
  for (const [subject, max] of bounds) {
    const exceeded = quota.tryConsume(subject, { windowMs: DAY_MS, max }, now)
    if (exceeded) throw refusalOf(exceeded, 'too many requests for accounts from where you are')
  }
  await quotas.put(quota.changed)
}

/** Removes the oldest undecided request where a bound is reached: of this account, or of the account with the most. */
async function makeRoom(recoveries: Writer['recoveries'], fid: number): Promise<void> {
  const own = (await recoveries.ofFid(fid)).filter(isUndecided)
  if (own.length < MAX_PER_FID && (await recoveries.count()) < MAX_RECOVERIES) return
  const [oldest] =
    own.length < MAX_PER_FID ? mostOfOneFid((await recoveries.list()).filter(isUndecided)) : own
  if (!oldest) {
    throw new Rejection('unavailable.overloaded', 'too many requests wait for the operator')
  }
  await recoveries.remove([oldest.receiver])
}

const isUndecided = ({ due_at }: Recovery): boolean => due_at === null

const mostOfOneFid = (rows: readonly Recovery[]): readonly Recovery[] =>
  [...Map.groupBy(rows, ({ fid }) => fid).values()].reduce<readonly Recovery[]>(
    (most, one) => (one.length > most.length ? one : most),
    [],
  )
