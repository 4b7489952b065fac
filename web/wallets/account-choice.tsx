import { useId, useState } from 'react'
import { t } from '../shared/messages.ts'
import { rich } from '../shared/rich.tsx'
import { shortHex } from '../shared/text.ts'
import type { Wallets } from './use-wallets.ts'

/** A longer list can be searched. */
const MANY = 5

/** The wallet and account in use, with ways to change them. */
export function AccountChoice({ connection, developmentAccounts, choose, disconnect }: Wallets) {
  const id = useId()
  const [sought, setSought] = useState('')
  if (!connection) return null
  const { wallet, addresses, address } = connection
  const nameOf = (one: string) => {
    const known = wallet.isDevelopment && developmentAccounts.find((a) => a.custodyAddress === one)
    return known
      ? t('{name} · fid {fid}', { name: known.name, fid: String(known.fid) })
      : shortHex(one)
  }
  const matching = (text: string) =>
    addresses.filter((one) =>
      `${nameOf(one)} ${one}`.toLowerCase().includes(text.trim().toLowerCase()),
    )
  const found = matching(sought)
  if (wallet.isOpened) {
    return (
      <button type="button" className="link" onClick={disconnect}>
        {t('Use another account')}
      </button>
    )
  }
  const search = (text: string) => {
    setSought(text)
    const [first, ...others] = matching(text)
    if (first && ![first, ...others].includes(address)) choose(first)
  }
  return (
    <div className="account">
      {addresses.length > MANY && (
        <>
          <label htmlFor={`${id}-search`}>{t('Find an account')}</label>
          <input
            id={`${id}-search`}
            type="search"
            value={sought}
            onChange={({ target }) => search(target.value)}
          />
        </>
      )}
      {addresses.length > 1 ? (
        <>
          <label htmlFor={id}>
            {rich('Account in {name}', { name: <bdi>{wallet.name}</bdi> })}
          </label>
          <select id={id} value={address} onChange={({ target }) => choose(target.value)}>
            {(found.length > 0 ? found : addresses).map((one) => (
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
        {t('Use another wallet')}
      </button>
    </div>
  )
}
