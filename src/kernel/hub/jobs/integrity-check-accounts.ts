import { resetsActivate } from '../../accounts/chain/source.ts'
import { decodeOnChainEvent } from '../../accounts/events.ts'
import type { MergeOptions } from '../../accounts/on-chain-events.ts'
import { rebuildAccount } from '../../accounts/rebuild.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Custody, Rent, SignerState, StoredChainEvent } from '../../storage/tables/accounts.ts'
import type { Findings } from './findings.ts'

const FIDS_PER_STEP = 200

type Account = {
  readonly custodies: readonly Custody[]
  readonly keys: readonly SignerState[]
  readonly rents: readonly Rent[]
}

/** Rebuilds custody, keys and rents of every account from its on-chain events; how many there are. */
export async function checkAccounts(
  storage: Storage,
  found: Findings,
  step: (count: number) => void,
): Promise<number> {
  const options = { resetActivates: (await storage.chain.sources()).some(resetsActivate) }
  let count = 0
  for (let after = -1; ; ) {
    const fids = await storage.audit.accountsAfter(after, FIDS_PER_STEP)
    if (fids.length === 0) return count
    const [events, custodies, keys, rents] = await Promise.all([
      storage.audit.chainEventsOf(fids),
      storage.accounts.custodies(fids),
      storage.audit.signersOf(fids),
      storage.accounts.rents(fids),
    ])
    for (const fid of fids) {
      const own = <T extends { fid: number }>(rows: T[]) => rows.filter((row) => row.fid === fid)
      const account = { custodies: own(custodies), keys: own(keys), rents: own(rents) }
      checkAccount(fid, account, rebuilt(fid, own(events), options, found), found)
    }
    after = fids.at(-1)!
    count += custodies.length
    step(events.length)
  }
}

function rebuilt(
  fid: number,
  rows: readonly StoredChainEvent[],
  options: MergeOptions,
  found: Findings,
): Account {
  const events = rows.flatMap((row) => {
    try {
      return [decodeOnChainEvent(row.body)]
    } catch (error) {
      found.add('on-chain event', `one of fid ${fid} cannot be read: ${(error as Error).message}`)
      return []
    }
  })
  const { custody, signers, rents } = rebuildAccount(fid, events, options)
  return { custodies: custody ? [custody] : [], keys: signers, rents }
}

function checkAccount(fid: number, stored: Account, expected: Account, found: Findings): void {
  for (const what of ['custodies', 'keys', 'rents'] as const) {
    if (textOf(stored[what]) === textOf(expected[what])) continue
    found.add(what, `of fid ${fid} are not as its on-chain events say`)
  }
}

/** The same text for the same rows, in any order and with any kind of byte array. */
function textOf(rows: readonly object[]): string {
  const texts = rows.map((row) =>
    Object.entries(row)
      .map(([key, value]) => `${key}=${value instanceof Uint8Array ? toHex(value) : value}`)
      .sort()
      .join(),
  )
  return texts.sort().join('\n')
}
