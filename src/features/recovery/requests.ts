import { readClient } from '../../kernel/limits/client.ts'
import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS, SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { recoveryWriter } from './tables/recoveries.ts'
import { MAX_BY_MAIL, MAX_RECOVERIES, type Recovery, recoveryRows } from './tables/recoveries.ts'

// Limits of requests for a new key of an account, in all processes and over restarts. A request cannot be proven. A new
// request displaces an old one, so that strangers who ask first do not keep the owner out; but the oldest request of each
// provider stays, so that strangers with networks of several providers do not displace the owner's.

const QUOTA = 'recovery requests'
/** Requests in a day. */
const MAX_ASKED = { byNetwork: 5, byProvider: 10, forAccountByProvider: 3 } as const
/** Undecided requests for one account. */
const MAX_PER_FID = 20

/** Moves of one account that begin with a mail; each needs a link of its own. */
const MAX_BY_MAIL_PER_DAY = 5

/** What is asked for. */
type Asked = Omit<Recovery, 'asked_at' | 'due_at' | 'provider' | 'by_mail'>

/** Where a request comes from, and when, in Unix ms. */
type Origin = { readonly ip: string; readonly now: number }

/**
 * Stores a request, in a transaction under the lock of the hub. The same key may ask for the same account again with other
 * words. Throws a Rejection when there are too many.
 */
export async function addRequest(
  tx: Pick<Writer, 'quotas' | 'of'>,
  asked: Asked,
  origin: Origin,
): Promise<Recovery> {
  const before = await tx.of(recoveryRows).find(asked)
  if (before?.due_at) {
    throw new Rejection('bad_request.conflict', 'the move to this key has been started already')
  }
  await count(tx.quotas, asked.fid, origin)
  if (!before) await makeRoom(tx.of(recoveryRows), asked.fid)
  const recovery = recoveryOf(asked, before, origin)
  await tx.of(recoveryRows).put(recovery)
  return recovery
}

/**
 * Stores a request of who has the link that was sent to the address of the account. That is a proof, so strangers use up nothing of
 * it: neither those of the same network or provider, nor all who wait for the operator.
 */
export async function addRequestByMail(
  tx: Pick<Writer, 'quotas' | 'of'>,
  asked: Asked,
  origin: Origin,
  most = MAX_BY_MAIL,
): Promise<{ readonly recovery: Recovery; readonly displaced: Recovery | undefined }> {
  const rows = tx.of(recoveryRows)
  const terms = { windowMs: DAY_MS, max: MAX_BY_MAIL_PER_DAY }
  const subject = `mail/${asked.fid}`
  const quota = new Quota(QUOTA, await tx.quotas.used(QUOTA, [subject]))
  const exceeded = quota.tryConsume(subject, terms, origin.now)
  if (exceeded) throw refusalOf(exceeded, 'this account was asked for too often')
  await tx.quotas.put(quota.changed)
  // Whoever fills it comes from somewhere: nobody who comes from elsewhere is kept out.
  const displaced = (await rows.byMailCount()) >= most ? await rows.crowdedByMail() : undefined
  if (displaced) await rows.remove(displaced)
  const request = recoveryOf(asked, await rows.find(asked), origin)
  const recovery = { ...request, by_mail: 1 as const }
  await rows.put(recovery)
  return { recovery, displaced }
}

function recoveryOf(asked: Asked, before: Recovery | undefined, origin: Origin): Recovery {
  // The operator names a request by this time: it must tell two of one second apart.
  const asked_at = Math.max(Math.floor(origin.now / SECOND_MS), (before?.asked_at ?? 0) + 1)
  const provider = before?.provider ?? readClient(origin.ip).provider
  return { ...asked, asked_at, provider, due_at: null, by_mail: 0 as const }
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

/** Removes an undecided request where a bound is reached: of this account, or of the account or provider with the most. */
async function makeRoom(recoveries: ReturnType<typeof recoveryWriter>, fid: number): Promise<void> {
  const own = (await recoveries.ofFid(fid)).filter(isUndecided)
  if (own.length < MAX_PER_FID && (await recoveries.undecidedCount()) < MAX_RECOVERIES) return
  const displaced =
    own.length < MAX_PER_FID ? displacedOfAll(await recoveries.undecided()) : displacedOf(own)
  if (!displaced) {
    const text = 'too many requests wait for the operator: reach the people who run this server'
    throw new Rejection('unavailable.overloaded', text)
  }
  await recoveries.remove(displaced)
}

const isUndecided = ({ due_at }: Recovery): boolean => due_at === null

/** Of the account with the most requests, or else of the provider with the most. */
const displacedOfAll = (rows: readonly Recovery[]): Recovery | undefined =>
  displacedOf(largestGroup(rows, ({ fid }) => fid)) ?? displacedOf(rows)

/** The oldest but one of the provider with the most; undefined when each has one. The rows are in order, the oldest first. */
const displacedOf = (rows: readonly Recovery[]): Recovery | undefined =>
  largestGroup(rows, ({ provider }) => provider)[1]

const largestGroup = (
  rows: readonly Recovery[],
  groupOf: (row: Recovery) => number | string,
): readonly Recovery[] =>
  [...Map.groupBy(rows, groupOf).values()].reduce<readonly Recovery[]>(
    (most, one) => (one.length > most.length ? one : most),
    [],
  )
