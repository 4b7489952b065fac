import { readClient } from '../../limits/client.ts'
import { refusalOf } from '../../limits/exceeded.ts'
import { Quota, type QuotaTerms } from '../../limits/quota.ts'
import type { Reader, Writer } from '../../storage/storage.ts'

// How often a password may be tried, in all processes and over restarts. Right ones count as well: who tries is not known
// before. Somebody who tries wrong ones from one network does not lock the owner out on others before the third bound.

const NAME = 'password guesses'
const HOUR_MS = 3_600_000
export const MAX_TRIES = {
  /** Of one account from one network in an hour. */
  ofAccountByNetwork: 10,
  /** Of all accounts from one network in an hour. */
  byNetwork: 30,
  /** Of one account in a day. */
  ofAccount: 100,
} as const

type Try = { readonly fid: number; readonly ip: string }

const boundsOf = ({ fid, ip }: Try): readonly [string, QuotaTerms][] => {
  const { network } = readClient(ip)
  return [
    [`${fid}/${network}`, { windowMs: HOUR_MS, max: MAX_TRIES.ofAccountByNetwork }],
    [`network/${network}`, { windowMs: HOUR_MS, max: MAX_TRIES.byNetwork }],
    [`${fid}`, { windowMs: 24 * HOUR_MS, max: MAX_TRIES.ofAccount }],
  ]
}

/** Throws a Rejection when a password may not be tried now. Takes no lock, so that a flood does not hold up others. */
export async function checkMayTry({ quotas }: Pick<Reader, 'quotas'>, asked: Try, now: number) {
  const bounds = boundsOf(asked)
  const quota = new Quota(
    NAME,
    await quotas.used(
      NAME,
      bounds.map(([subject]) => subject),
    ),
  )
  for (const [subject, terms] of bounds) throwIf(quota.check(subject, terms, now))
}

/** Counts a try, in a transaction under the lock of all sign-ins. */
export async function countTry({ quotas }: Pick<Writer, 'quotas'>, asked: Try, now: number) {
  const bounds = boundsOf(asked)
  const quota = new Quota(
    NAME,
    await quotas.used(
      NAME,
      bounds.map(([subject]) => subject),
    ),
  )
  for (const [subject, terms] of bounds) throwIf(quota.tryConsume(subject, terms, now))
  await quotas.put(quota.changed)
}

function throwIf(exceeded: ReturnType<Quota['check']>): void {
  if (!exceeded) return
  throw refusalOf(
    exceeded,
    'too many passwords were tried: wait, or sign in with a passkey or the recovery words',
  )
}
