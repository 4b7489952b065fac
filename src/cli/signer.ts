import { fromHex } from '../protocol/bytes.ts'
import { Failure } from './failure.ts'
import { readKeyFile } from './key-file.ts'
import { askDevNetwork, type Target } from './network.ts'

/** Who acts, what signs their messages and what holds their fid. */
export type Signer = {
  readonly fid: number
  readonly seed: Uint8Array
  readonly custodyPrivateKey: `0x${string}`
}

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

type Account = { fid: number; appPrivateKey: string; custodyPrivateKey: string }

const signerOf = (account: Account): Signer => ({
  fid: account.fid,
  seed: fromHex(account.appPrivateKey)!,
  custodyPrivateKey: account.custodyPrivateKey as `0x${string}`,
})
