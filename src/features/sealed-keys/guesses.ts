import { readClient } from '../../kernel/limits/client.ts'
import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/protocol/time.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'

// How often a password may be tried, in all processes and over restarts. Right ones count as well: who tries is not known
// before. Strangers can use up the tries of an account, but not the few that every provider has besides: the owner, who is
// elsewhere, is never locked out. A device that has signed in before asks nobody: its browser keeps the copy.

const NAME = 'password guesses'
export const MAX_TRIES = {
  /** Of one account from one network in an hour. */
  ofAccountByNetwork: 10,
  /** Of all accounts from one network in an hour. */
  byNetwork: 30,
  /** Of one account in a day. */
  ofAccount: 100,
  /** Of one account from one provider in a day, once the tries of the account are used up. */
  ofAccountByProvider: 5,
} as const

type Try = { readonly fid: number; readonly ip: string }

/** Throws a Rejection when a password may not be tried now. Takes no lock, so that a flood does not hold up others. */
export async function checkMayTry({ quotas }: Pick<Reader, 'quotas'>, asked: Try, now: number) {
  await consume(quotas, asked, now)
}

/** Counts a try, in a transaction under the lock of all sign-ins. */
export async function countTry({ quotas }: Pick<Writer, 'quotas'>, asked: Try, now: number) {
  await quotas.put(await consume(quotas, asked, now))
}

/** The rows to be written. Throws a Rejection when nothing is left. */
async function consume(quotas: Reader['quotas'], { fid, ip }: Try, now: number) {
  const { network, provider } = readClient(ip)
  const [account, all] = [`${fid}`, `network/${network}`]
  const [byNetwork, byProvider] = [`${fid}/${network}`, `${fid}/provider/${provider}`]
  const quota = new Quota(NAME, await quotas.used(NAME, [account, all, byNetwork, byProvider]))
  const take = (subject: string, windowMs: number, max: number) =>
    quota.tryConsume(subject, { windowMs, max }, now)
  const exceeded =
    take(byNetwork, HOUR_MS, MAX_TRIES.ofAccountByNetwork) ??
    take(all, HOUR_MS, MAX_TRIES.byNetwork) ??
    (take(account, DAY_MS, MAX_TRIES.ofAccount) &&
      take(byProvider, DAY_MS, MAX_TRIES.ofAccountByProvider))
  if (!exceeded) return quota.changed
  const text =
    'too many passwords were tried: wait, or sign in with a passkey or the recovery words'
  throw refusalOf(exceeded, text)
}
