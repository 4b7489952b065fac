import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fetchJson } from '../../shared/request.ts'
import { shortHex } from '../../shared/text.ts'
import { useWallets } from '../../wallets/use-wallets.ts'
import { WalletList } from '../../wallets/wallet-list.tsx'
import { changeRecovery, transferTo } from '../act/account-calls.ts'
import { Text } from '../custody/join.tsx'
import { forgetKept, noteUnsaved } from '../custody/kept.ts'
import type { Opened } from '../custody/open.ts'
import type { PartProps } from './account.tsx'
import { useWork } from './use-work.tsx'

const NOBODY = `0x${'00'.repeat(20)}`
const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** The address that may move the account to a new key when the own one is lost. */
export function Recovery({ fid, opened }: PartProps) {
  const { data, refetch } = useQuery({
    queryKey: ['account', fid],
    queryFn: () =>
      fetchJson<{ recoveryAddress: string }>('/accounts/v1/account', { query: { fid } }),
  })
  const [address, setAddress] = useState('')
  const { isBusy, run, said } = useWork()
  const isBad = address !== '' && !ADDRESS.test(address)
  const now = data && data.recoveryAddress !== NOBODY ? data.recoveryAddress : undefined
  const change = (to: string) =>
    run(async () => {
      await changeRecovery(opened!.connection, to)
      setAddress('')
      await refetch()
      return to === NOBODY ? 'Nobody can recover the account now.' : 'The recovery address is set.'
    })
  return (
    <section className="account-part" aria-labelledby="recovery">
      <h2 id="recovery">Recovery address</h2>
      <p>
        {now ? (
          <>
            <code>{shortHex(now)}</code> can move this account to a new key.
          </>
        ) : (
          'None. If you lose your words, your passkeys and your password, nobody can help.'
        )}
      </p>
      <p className="muted">
        A wallet of yours or of somebody you trust fully: it can take the account at any time,
        without waiting.
      </p>
      {opened && (
        <form
          className="fields"
          onSubmit={(event) => {
            event.preventDefault()
            change(address)
          }}
        >
          <Text
            label="Address of a wallet"
            help={
              isBad
                ? '0x and 40 digits of 0–9 and a–f.'
                : 'Such as 0x5b38…; it signs when you need it.'
            }
            isBad={isBad}
            value={address}
            maxLength={42}
            onChange={setAddress}
          />
          <p className="buttons">
            <button type="submit" className="secondary" disabled={isBusy || !ADDRESS.test(address)}>
              Set the address
            </button>
            {now && (
              <button
                type="button"
                className="link"
                disabled={isBusy}
                onClick={() => change(NOBODY)}
              >
                Remove it
              </button>
            )}
          </p>
        </form>
      )}
      {said}
    </section>
  )
}

/** Moves the account from the key of this browser, or from a wallet, to another wallet. */
export function Move({ fid, opened }: PartProps & { opened: Opened }) {
  const wallets = useWallets({ withDevelopment: false })
  const { connection } = wallets
  const { isBusy, run, said } = useWork()
  const move = () =>
    run(async () => {
      await transferTo(opened.connection, connection!, fid)
      await forgetKept(opened.connection.address)
      noteUnsaved(undefined)
      return 'Moved. From now on this wallet is your account; the old words, passkeys and password open nothing.'
    })
  return (
    <section className="account-part" aria-labelledby="move">
      <h2 id="move">Move to a wallet</h2>
      <p className="muted">
        You can also type your 12 words into a wallet: then both have the same key. Moving gives the
        account to another key, and the words lose it.
      </p>
      {connection ? (
        <>
          <p>
            <bdi>{connection.wallet.name}</bdi> <code>{shortHex(connection.address)}</code>
          </p>
          <p className="buttons">
            <button type="button" className="danger" disabled={isBusy} onClick={move}>
              Move the account there
            </button>
            <button type="button" className="link" onClick={wallets.disconnect}>
              Another wallet
            </button>
          </p>
        </>
      ) : (
        <details className="unlock">
          <summary>Choose a wallet</summary>
          <WalletList {...wallets} />
        </details>
      )}
      {said}
    </section>
  )
}
