import { fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { Failure } from '../failure.ts'
import type { SavedKey } from '../key-file.ts'
import { type KnownKeys, knownKeysOf, outdatedFailure } from '../known-keys.ts'
import { hint } from '../output.ts'
import { askDevNetwork, type Target } from './network.ts'

/** The fid that acts and the key that signs its messages. */
export type Signer = {
  readonly fid: number
  readonly seed: Uint8Array
}

/** A signer that also has the custody key of its fid. */
export type Holder = Signer & { readonly custodyPrivateKey: `0x${string}` }

/**
 * Finds who signs messages: the given account, or an approved key of it; without a fid the account chosen with
 * `account use`, otherwise the first account of a development network. Never an account of a network that the hub does
 * not serve any more.
 */
export async function findSigner(target: Target, given: number | undefined): Promise<Signer> {
  const known = await knownKeysOf(target)
  const fid = given ?? actingFid(target, known)
  const isOf = (one: SavedKey) => one.fid === fid
  const key = known.accounts.some(isOf) ? undefined : known.keys.findLast(isOf)
  return key ? signerOf(key) : holderAmong(known, target, fid)
}

/** The same with the custody key, from the key file or from a development network. */
export async function findHolder(target: Target, given: number | undefined): Promise<Holder> {
  const known = await knownKeysOf(target)
  return holderAmong(known, target, given ?? actingFid(target, known))
}

function actingFid(target: Target, { acting, outdated }: KnownKeys): number | undefined {
  if (acting === undefined && outdated[0]) throw outdatedFailure(target, outdated.at(-1)!)
  return acting
}

async function holderAmong(
  { accounts, outdated }: KnownKeys,
  target: Target,
  fid: number | undefined,
): Promise<Holder> {
  const saved = accounts.findLast((one) => one.fid === fid)
  if (saved) return holderOf(saved)
  const found = (await devAccounts(target)).find((account) => account.fid === (fid ?? 1))
  if (found) return holderOf(found)
  const before = outdated.find((one) => one.fid === fid)
  if (before) throw outdatedFailure(target, before)
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

export type DevAccount = {
  readonly fid: number
  readonly name: string
  readonly custodyAddress: string
  readonly appPrivateKey: string
  readonly custodyPrivateKey: string
}

const signerOf = ({ fid, appPrivateKey }: Pick<DevAccount, 'fid' | 'appPrivateKey'>): Signer => ({
  fid,
  seed: fromHex(appPrivateKey)!,
})

const holderOf = (account: Omit<DevAccount, 'name' | 'custodyAddress'>): Holder => ({
  ...signerOf(account),
  custodyPrivateKey: account.custodyPrivateKey as `0x${string}`,
})
