import { fromHex } from '../protocol/bytes.ts'
import { Failure } from './failure.ts'
import { readKeyFile } from './key-file.ts'
import { askDevNetwork, type Target } from './network.ts'

/** The fid that acts and the key that signs its messages. */
export type Signer = {
  readonly fid: number
  readonly seed: Uint8Array
}

/** A signer with the custody key of its fid. */
export type Holder = Signer & { readonly custodyPrivateKey: `0x${string}` }

/**
 * Finds who signs messages: the given account, or an approved key of it; without a fid the newest account
 * created for this hub, otherwise the first account of a development network.
 */
export async function findSigner(target: Target, fid: number | undefined): Promise<Signer> {
  const given =
    findSaved(target, fid) === undefined
      ? readKeyFile(target.keys).keys.findLast((key) => key.hub === target.hub && key.fid === fid)
      : undefined
  return given ? signerOf(given) : findHolder(target, fid)
}

/** The same with the custody key, from the key file or from a development network. */
export async function findHolder(target: Target, fid: number | undefined): Promise<Holder> {
  const saved = findSaved(target, fid)
  if (saved) return holderOf(saved)
  const dev = await askDevNetwork(target, '/dev/accounts')
  const found = dev?.accounts.find((account: { fid: number }) => account.fid === (fid ?? 1))
  if (found) return holderOf(found)
  const whose = fid === undefined ? 'of any account' : `of fid ${fid}`
  throw new Failure(
    `no key ${whose} is known for ${target.hub}: neither ${target.keys} nor a development network on ` +
      'this machine has one. Create an account with: rookery account create',
  )
}

const findSaved = ({ keys, hub }: Target, fid: number | undefined) =>
  readKeyFile(keys).accounts.findLast((account) =>
    fid === undefined
      ? account.hub === hub && account.fid > 0
      : account.hub === hub && account.fid === fid,
  )

type Account = { fid: number; appPrivateKey: string; custodyPrivateKey: string }

const signerOf = ({ fid, appPrivateKey }: Omit<Account, 'custodyPrivateKey'>): Signer => ({
  fid,
  seed: fromHex(appPrivateKey)!,
})

const holderOf = (account: Account): Holder => ({
  ...signerOf(account),
  custodyPrivateKey: account.custodyPrivateKey as `0x${string}`,
})
