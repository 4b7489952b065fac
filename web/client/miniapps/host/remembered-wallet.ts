import { getDevelopmentAccounts } from '../../../shared/api.ts'
import { developmentWallet, discoverWallets } from '../../../wallets/discover.ts'
import { addressesIn, type Connection, chainOf, type Wallet } from '../../../wallets/provider.ts'
import { walletConsents } from '../wallet/consents.ts'

/** The development wallet with the one account that acts; undefined outside of a development network. */
export async function actingWallet(fid: number): Promise<Connection | undefined> {
  const account = (await getDevelopmentAccounts()).find((one) => one.fid === fid)
  if (!account) return undefined
  const wallet = developmentWallet([account])
  const chainId = await chainOf(wallet.provider)
  return { wallet, addresses: [account.custodyAddress], address: account.custodyAddress, chainId }
}

/** The wallet that the user let an app see before, if it is there and still shares the address. Nobody is asked. */
export async function rememberedWallet(
  fid: number,
  domain: string,
): Promise<Connection | undefined> {
  const consent = walletConsents.of(fid)[domain]
  if (!consent) return undefined
  const acting = await actingWallet(fid)
  if (acting?.wallet.name === consent.wallet && acting.address === consent.address) return acting
  const wallet = discovered().find(({ name }) => name === consent.wallet)
  if (!wallet) return undefined
  const { provider } = wallet
  const addresses = addressesIn(await provider.request({ method: 'eth_accounts' }).catch(() => []))
  if (!addresses.includes(consent.address)) return undefined
  return { wallet, addresses, address: consent.address, chainId: await chainOf(provider) }
}

/** Wallets announce themselves while they are asked. */
function discovered(): readonly Wallet[] {
  let found: readonly Wallet[] = []
  const stop = discoverWallets((wallets) => {
    found = wallets
  })
  stop()
  return found
}
