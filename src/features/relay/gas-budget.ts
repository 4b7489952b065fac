import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import type { RelayLimits } from './settings.ts'
import { relayRows } from './tables/relays.ts'

// A fid that adds and removes keys all day must not empty the relayer's account: gas is bounded a day, for each
// fid and in all. The gas limit of a transaction is counted, which is at least the gas that it uses.

/** The row with the sum of all fids. */
const ALL = 0
const UNKNOWN = -1

type Spending = { readonly owner: Uint8Array; readonly gas: number; readonly nowMs: number }

/** Throws `rate_limited` when the gas would go beyond a budget of the day (UTC). */
async function checkGasBudget(
  reader: Reader,
  { gasPerFid, gasPerDay }: RelayLimits,
  { owner, gas, nowMs }: Spending,
): Promise<void> {
  const [fid, day] = [await fidOf(reader, owner), dayOf(nowMs)]
  const retryAfterSeconds = Math.ceil(((day + 1) * DAY_MS - nowMs) / 1000)
  const refuse = (text: string) => new Rejection('rate_limited', text, { retryAfterSeconds })
  if ((await reader.of(relayRows).gasOn(day, fid)) + gas > gasPerFid) {
    throw refuse(`fid ${fid} has used up the gas that the relayer pays for it in a day`)
  }
  if ((await reader.of(relayRows).gasOn(day, ALL)) + gas > gasPerDay) {
    throw refuse('the relayer has used up the gas that it pays for in a day')
  }
}

/** Counts the gas of a transaction; to be called in the transaction that stores it. */
export async function spendGas(tx: Writer, limits: RelayLimits, spending: Spending): Promise<void> {
  await checkGasBudget(tx, limits, spending)
  const [fid, day] = [await fidOf(tx, spending.owner), dayOf(spending.nowMs)]
  const rows = await Promise.all(
    [fid, ALL].map(async (one) => ({
      day,
      fid: one,
      gas: (await tx.of(relayRows).gasOn(day, one)) + spending.gas,
    })),
  )
  await tx.of(relayRows).putGas(rows)
}

const dayOf = (nowMs: number) => Math.floor(nowMs / DAY_MS)

/** Fids that are on the chain but not followed yet share one budget. */
async function fidOf(reader: Reader, owner: Uint8Array): Promise<number> {
  return (await reader.accounts.byAddress(owner))?.fid ?? UNKNOWN
}
