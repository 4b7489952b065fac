import { useId } from 'react'
import { shortHex } from '../shared/text.ts'
import type { Wallets } from './use-wallets.ts'

/** The wallet and account in use, with ways to change them. */
export function AccountChoice({ connection, developmentAccounts, choose, disconnect }: Wallets) {
  const id = useId()
  if (!connection) return null
  const { wallet, addresses, address } = connection
  const nameOf = (one: string) => {
    const known = wallet.isDevelopment && developmentAccounts.find((a) => a.custodyAddress === one)
    return known ? `${known.name} · fid ${known.fid}` : shortHex(one)
  }
  return (
    <div className="account">
      {addresses.length > 1 ? (
        <>
          <label htmlFor={id}>
            Account in <bdi>{wallet.name}</bdi>
          </label>
          <select id={id} value={address} onChange={({ target }) => choose(target.value)}>
            {addresses.map((one) => (
              <option key={one} value={one}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        </>
      ) : (
        <span>
          <bdi>{wallet.name}</bdi> <code>{shortHex(address)}</code>
        </span>
      )}
      <button type="button" className="link" onClick={disconnect}>
        Use another wallet
      </button>
    </div>
  )
}
