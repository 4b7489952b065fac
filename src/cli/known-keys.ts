import { probeJson } from './client.ts'
import { at, type Target } from './commands/network.ts'
import { Failure } from './failure.ts'
import {
  type Acting,
  readKeyFile,
  type SavedAccount,
  type SavedKey,
  saveStore,
} from './key-file.ts'
import { hint } from './output.ts'

/** The entries of the key file for a hub. After a reset of its data, a fid has another owner. */
export type KnownKeys = {
  /** The id of the data that the hub serves; undefined when it does not say. */
  readonly store: string | undefined
  readonly accounts: readonly SavedAccount[]
  readonly keys: readonly SavedKey[]
  /** The fid that acts unless a command names another one. */
  readonly acting: number | undefined
  /** Entries for the address of this hub that belong to data which it does not serve now. */
  readonly outdated: readonly (SavedKey | Acting)[]
}

export async function knownKeysOf({ keys: file, hub }: Target): Promise<KnownKeys> {
  const store: string | undefined = (await probeJson(at(hub, '/v1/info')))?.storeId
  if (store !== undefined) await adopt(file, hub, store)
  const saved = readKeyFile(file)
  const isOfNow = (one: { readonly store?: string | undefined }) =>
    store === undefined || one.store === store
  const here = (one: SavedKey) => one.hub === hub && one.fid > 0
  const [accounts, keys] = [saved.accounts.filter(here), saved.keys.filter(here)]
  const entries = [...accounts, ...keys]
  const given = saved.acting[hub]
  // An earlier version noted the fid alone: it is as old as the entry of that account.
  const chosen =
    typeof given === 'number'
      ? { fid: given, store: (entries.findLast(({ fid }) => fid === given) ?? { store }).store }
      : given
  return {
    store,
    accounts: accounts.filter(isOfNow),
    keys: keys.filter(isOfNow),
    acting: chosen && isOfNow(chosen) ? chosen.fid : accounts.filter(isOfNow).at(-1)?.fid,
    outdated: [...entries, ...(chosen ? [chosen] : [])].filter((one) => !isOfNow(one)),
  }
}

/** Adds the id of the data to entries of earlier versions whose key may sign here. */
async function adopt(file: string, hub: string, store: string): Promise<void> {
  const { accounts, keys } = readKeyFile(file)
  for (const one of [...accounts, ...keys]) {
    if (one.hub !== hub || one.fid === 0 || one.store !== undefined) continue
    const path = `/v1/onChainSignersByFid?fid=${one.fid}&signer=${one.appPublicKey}`
    if (await probeJson(at(hub, path))) saveStore(file, one, store)
  }
}

/** The error for an account of data that the hub does not serve now. */
export const outdatedFailure = ({ hub, keys }: Target, { fid }: { readonly fid: number }) =>
  new Failure(
    `the network was reset, or ${hub} serves another one now: fid ${fid} in ${keys} is not of this network. ` +
      `Run: ${hint('account create')}`,
  )
