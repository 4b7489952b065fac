import { fromHex } from '../protocol/bytes.ts'
import { Failure } from './failure.ts'
import { findActing, readKeyFile } from './key-file.ts'
import { askDevNetwork, type Target } from './network.ts'
import { hint } from './output.ts'

/** The fid that acts and the key that signs its messages. */
export type Signer = {
  readonly fid: number
  readonly seed: Uint8Array
}

/** A signer that also has the custody key of its fid. */
export type Holder = Signer & { readonly custodyPrivateKey: `0x${string}` }

/**
 * Finds who signs messages: the given account, or an approved key of it; without a fid the account chosen with
 * `account use`, otherwise the first account of a development network.
 */
export async function findSigner(target: Target, given: number | undefined): Promise<Signer> {
  const fid = actingFid(target, given)
  const key =
    findSaved(target, fid) === undefined
      ? readKeyFile(target.keys).keys.findLast((one) => one.hub === target.hub && one.fid === fid)
      : undefined
  return key && fid !== undefined ? signerOf(key) : findHolder(target, fid)
}

/** The same with the custody key, from the key file or from a development network. */
export async function findHolder(target: Target, given: number | undefined): Promise<Holder> {
  const fid = actingFid(target, given)
  const saved = findSaved(target, fid)
  if (saved) return holderOf(saved)
  const found = (await devAccounts(target)).find((account) => account.fid === (fid ?? 1))
  if (found) return holderOf(found)
  const whose = fid === undefined ? 'of any account' : `of fid ${fid}`
  throw new Failure(
    `no key ${whose} is known for ${target.hub}: neither ${target.keys} nor a development network on ` +
      `this machine has one. Create an account with: ${hint('account create')}`,
  )
}

/** The accounts of a development network on this machine; none of any other. */
export async function devAccounts(target: Target): Promise<readonly DevAccount[]> {
  return (await askDevNetwork(target, '/dev/accounts'))?.accounts ?? []
}

const actingFid = ({ keys, hub }: Target, given: number | undefined): number | undefined =>
  given ?? findActing(keys, hub)

const findSaved = ({ keys, hub }: Target, fid: number | undefined) =>
  readKeyFile(keys).accounts.findLast((account) => account.hub === hub && account.fid === fid)

export type DevAccount = {
  readonly fid: number
  readonly custodyAddress: string
  readonly appPrivateKey: string
  readonly custodyPrivateKey: string
}

const signerOf = ({ fid, appPrivateKey }: Pick<DevAccount, 'fid' | 'appPrivateKey'>): Signer => ({
  fid,
  seed: fromHex(appPrivateKey)!,
})

const holderOf = (account: Omit<DevAccount, 'custodyAddress'>): Holder => ({
  ...signerOf(account),
  custodyPrivateKey: account.custodyPrivateKey as `0x${string}`,
})
