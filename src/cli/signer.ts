import { fromHex } from '../protocol/bytes.ts'
import { Failure } from './failure.ts'
import { readKeyFile } from './key-file.ts'
import { askDevNetwork, type Target } from './network.ts'

/** Who a message is from and what signs it. */
export type Signer = { readonly fid: number; readonly seed: Uint8Array }

/**
 * The account that acts: the one asked for, else the newest one made for this hub, else the first of a
 * development network. Keys come from the key file or from a development network.
 */
export async function findSigner(target: Target, fid: number | undefined): Promise<Signer> {
  const saved = readKeyFile(target.keys).findLast((account) =>
    fid === undefined
      ? account.hub === target.hub && account.fid > 0
      : account.hub === target.hub && account.fid === fid,
  )
  if (saved) return signerOf(saved)
  const dev = await askDevNetwork(target, '/dev/accounts')
  const found = dev?.accounts.find((account: { fid: number }) => account.fid === (fid ?? 1))
  if (found) return signerOf(found)
  const whose = fid === undefined ? 'of any account' : `of fid ${fid}`
  throw new Failure(
    `no key ${whose} is known for ${target.hub}: none in ${target.keys}, none of a development ` +
      'network on this machine. Make an account with: rookery account create',
  )
}

const signerOf = (account: { fid: number; appPrivateKey: string }): Signer => ({
  fid: account.fid,
  seed: fromHex(account.appPrivateKey)!,
})
