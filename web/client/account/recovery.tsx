import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { fetchJson } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { dateText, shortHex } from '../../shared/text.ts'
import { useWallets } from '../../wallets/use-wallets.ts'
import { WalletList } from '../../wallets/wallet-list.tsx'
import { changeRecovery, transferTo } from '../act/account-calls.ts'
import { Text } from '../act/text-field.tsx'
import { forgetKept } from '../custody/kept.ts'
import type { Opened } from '../custody/open.ts'
import { NOBODY, readRecovery } from '../custody/recovery-terms.ts'
import { forgetReminder } from '../custody/reminder.ts'
import { useMailTerms } from './mail.tsx'
import type { PartProps } from './part.ts'
import { useWork } from './use-work.tsx'

/** What the service can do for an account that has named it; a link in a mail begins it, too, where the server sends mail. */
const canMove = (waitDays: number, hasMail: boolean): string =>
  hasMail
    ? t(
        '{waitDays, plural, one {The people who run this server can give this account to a new key, and so can a link in a mail to the address that you have confirmed here. It takes # day, in which you are told and can stop it.} other {The people who run this server can give this account to a new key, and so can a link in a mail to the address that you have confirmed here. It takes # days, in which you are told and can stop it.}}',
        { waitDays },
      )
    : t(
        '{waitDays, plural, one {The people who run this server can give this account to a new key. It takes # day, in which you are told and can stop it.} other {The people who run this server can give this account to a new key. It takes # days, in which you are told and can stop it.}}',
        { waitDays },
      )
/** The same for one that has not. */
const canHelp = (waitDays: number, hasMail: boolean): string =>
  hasMail
    ? t(
        '{waitDays, plural, one {The people who run this server can help you, if they know you, and so can a link in a mail to the address that you have confirmed here. It takes # day, in which you are told and can stop it.} other {The people who run this server can help you, if they know you, and so can a link in a mail to the address that you have confirmed here. It takes # days, in which you are told and can stop it.}}',
        { waitDays },
      )
    : t(
        '{waitDays, plural, one {The people who run this server can help you, if they know you. It takes # day, in which you are told and can stop it.} other {The people who run this server can help you, if they know you. It takes # days, in which you are told and can stop it.}}',
        { waitDays },
      )

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** The address that may move the account to a new key when the own one is lost. */
export function Recovery({ fid, opened }: PartProps) {
  const { data, refetch } = useQuery({
    queryKey: ['account', fid],
    queryFn: () =>
      fetchJson<{ recoveryAddress: string }>('/accounts/v1/account', { query: { fid } }),
  })
  const recovery = useQuery({ queryKey: ['recovery', fid], queryFn: () => readRecovery(fid) })
  const hasMail = useMailTerms().data?.isOn === true
  const service = recovery.data?.service ?? undefined
  const movesAt = recovery.data?.movesAt ?? undefined
  const [address, setAddress] = useState('')
  const { isBusy, run, said } = useWork()
  const queries = useQueryClient()
  const isBad = address !== '' && !ADDRESS.test(address)
  const now = data && data.recoveryAddress !== NOBODY ? data.recoveryAddress : undefined
  const isService = now !== undefined && now === service?.address
  const change = (to: string) =>
    run(async () => {
      await changeRecovery(opened!.connection, to)
      setAddress('')
      await Promise.all([
        refetch(),
        recovery.refetch(),
        queries.invalidateQueries({ queryKey: ['/screen/storage'] }),
      ])
      return to === NOBODY
        ? t('Nobody can recover the account now.')
        : t('The recovery address is set.')
    })
  return (
    <section className="account-part" aria-labelledby="recovery">
      <h2 id="recovery">{t('Recovery address')}</h2>
      <p>
        {isService
          ? canMove(service!.waitDays, hasMail)
          : now
            ? rich('{now} can move this account to a new key.', {
                now: <code>{shortHex(now)}</code>,
              })
            : t(
                'None. If you lose your words, your passkeys and your password, nobody can help you.',
              )}
      </p>
      {movesAt !== undefined && (
        <Notice tone="bad">
          <p>
            {opened
              ? t(
                  'Somebody has asked for this account, and gets it on {date}. If that is not you, stop it.',
                  { date: dateText(movesAt) },
                )
              : t(
                  'Somebody has asked for this account, and gets it on {date}. If that is not you, unlock your account above and stop it here.',
                  { date: dateText(movesAt) },
                )}
          </p>
          {opened && (
            <p>
              <button
                type="button"
                className="danger"
                disabled={isBusy}
                onClick={() => change(NOBODY)}
              >
                {t('Stop it')}
              </button>
            </p>
          )}
        </Notice>
      )}
      {service && !isService && opened && (
        <>
          <p className="muted">{canHelp(service.waitDays, hasMail)}</p>
          <p className="buttons">
            <button
              type="button"
              className="secondary"
              disabled={isBusy}
              onClick={() => change(service.address)}
            >
              {t('Let them help')}
            </button>
          </p>
        </>
      )}
      <p className="muted">
        {service
          ? t(
              'Or choose a wallet of yours or of somebody you trust fully: it can take the account at any time, without waiting.',
            )
          : t(
              'A wallet of yours or of somebody you trust fully: it can take the account at any time, without waiting.',
            )}
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
            label={t('Address of a wallet')}
            help={
              isBad
                ? t('0x and 40 digits of 0–9 and a–f.')
                : t('Such as 0x5b38…; it signs when you need it.')
            }
            isBad={isBad}
            value={address}
            maxLength={42}
            onChange={setAddress}
          />
          <p className="buttons">
            <button type="submit" className="secondary" disabled={isBusy || !ADDRESS.test(address)}>
              {t('Set the address')}
            </button>
            {now && (
              <button
                type="button"
                className="link"
                disabled={isBusy}
                onClick={() => change(NOBODY)}
              >
                {t('Remove it')}
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
      forgetReminder(fid)
      return t(
        'Moved. From now on this wallet is your account; the old words, passkeys and password open nothing.',
      )
    })
  return (
    <section className="account-part" aria-labelledby="move">
      <h2 id="move">{t('Move to a wallet')}</h2>
      <p className="muted">
        {t(
          'You can also type your 12 words into a wallet: then both have the same key. Moving gives the account to another key, and the words lose it.',
        )}
      </p>
      {connection ? (
        <>
          <p>
            <bdi>{connection.wallet.name}</bdi> <code>{shortHex(connection.address)}</code>
          </p>
          <p className="buttons">
            <button type="button" className="danger" disabled={isBusy} onClick={move}>
              {t('Move the account there')}
            </button>
            <button type="button" className="link" onClick={wallets.disconnect}>
              {t('Another wallet')}
            </button>
          </p>
        </>
      ) : (
        <details className="unlock">
          <summary>{t('Choose a wallet')}</summary>
          <WalletList {...wallets} />
        </details>
      )}
      {said}
    </section>
  )
}
