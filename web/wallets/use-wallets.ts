import { useCallback, useEffect, useMemo, useState } from 'react'
import { type DevelopmentAccount, getDevelopmentAccounts } from '../shared/api.ts'
import { developmentWallet, discoverWallets } from './discover.ts'
import {
  addressesIn,
  type Connection,
  connect,
  explain,
  isRejectedByUser,
  type Wallet,
} from './provider.ts'

export type Wallets = {
  readonly wallets: readonly Wallet[]
  readonly developmentAccounts: readonly DevelopmentAccount[]
  readonly connection: Connection | undefined
  /** The wallet that is asking its user now. */
  readonly asking: Wallet | undefined
  readonly error: string | undefined
  connect(wallet: Wallet): void
  /** Takes a key that the page has opened. */
  take(connection: Connection): void
  /** Switches to another account of the wallet. */
  choose(address: string): void
  disconnect(): void
}

/** The wallets of this browser, and the one that the page is connected to. */
export function useWallets({ withDevelopment = true } = {}): Wallets {
  const [discovered, setDiscovered] = useState<readonly Wallet[]>([])
  const [developmentAccounts, setDevelopmentAccounts] = useState<readonly DevelopmentAccount[]>([])
  const [connection, setConnection] = useState<Connection>()
  const [asking, setAsking] = useState<Wallet>()
  const [error, setError] = useState<string>()

  useEffect(() => discoverWallets(setDiscovered), [])
  useEffect(() => {
    if (withDevelopment) getDevelopmentAccounts().then(setDevelopmentAccounts)
  }, [withDevelopment])
  const wallets = useMemo(
    () =>
      developmentAccounts.length > 0
        ? [...discovered, developmentWallet(developmentAccounts)]
        : discovered,
    [discovered, developmentAccounts],
  )
  useFollowing(connection, setConnection)

  const begin = useCallback((wallet: Wallet) => {
    setAsking(wallet)
    setError(undefined)
    connect(wallet)
      .then(setConnection, (reason) => {
        // To change one's mind is no error.
        if (!isRejectedByUser(reason)) setError(explain(reason))
      })
      .finally(() => setAsking(undefined))
  }, [])
  const choose = useCallback(
    (address: string) => setConnection((now) => now && { ...now, address }),
    [],
  )
  const disconnect = useCallback(() => setConnection(undefined), [])
  return {
    wallets,
    developmentAccounts,
    connection,
    asking,
    error,
    connect: begin,
    take: setConnection,
    choose,
    disconnect,
  }
}

/** The user may switch account or chain in the wallet itself. */
function useFollowing(
  connection: Connection | undefined,
  set: (change: (now: Connection | undefined) => Connection | undefined) => void,
): void {
  const provider = connection?.wallet.provider
  useEffect(() => {
    const onAccounts = (value: unknown) => {
      const addresses = addressesIn(value)
      const [address] = addresses
      set((now) => now && (address === undefined ? undefined : { ...now, addresses, address }))
    }
    const onChain = (value: unknown) => set((now) => now && { ...now, chainId: Number(value) })
    provider?.on?.('accountsChanged', onAccounts)
    provider?.on?.('chainChanged', onChain)
    return () => {
      provider?.removeListener?.('accountsChanged', onAccounts)
      provider?.removeListener?.('chainChanged', onChain)
    }
  }, [provider, set])
}
