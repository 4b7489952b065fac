import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../shared/messages.ts'
import { QrCode } from '../../shared/qr-code.tsx'
import { fetchJson } from '../../shared/request.ts'
import { inviteText, ShareLink } from '../../shared/share-link.tsx'
import { dateText } from '../../shared/text.ts'
import { findKey } from '../act/key-store.ts'
import { tokenOf } from '../act/platform.ts'
import { keepInviteLinks, keptInviteLinks } from './kept-invites.ts'
import { useWork } from './use-work.tsx'

type Invite = {
  readonly id: string
  readonly usesLeft: number
  readonly createdAt: number
  /** Unix milliseconds. */
  readonly expiresAt: number
}
type Own = { readonly perMonth: number; readonly invites: readonly Invite[] }
type Made = Invite & { readonly code: string; readonly link?: string }

const MS_PER_SECOND = 1_000

async function askAs<T>(
  fid: number,
  path: string,
  call: { method?: 'POST' | 'DELETE'; body?: object } = {},
) {
  const key = await findKey(fid)
  if (!key) throw new Error(t('Sign in again: this browser has no key of your account.'))
  return fetchJson<T>(`/accounts/v1${path}`, { ...call, token: await tokenOf(key) })
}

/** Links with which others join, where the operator lets members make them. */
export function InvitePeople({ fid }: { fid: number }) {
  const found = useQuery({
    queryKey: ['own invites', fid],
    queryFn: () => askAs<Own>(fid, '/invites'),
    retry: false,
  })
  const [isNamed, setNamed] = useState(true)
  const [made, setMade] = useState<string>()
  const { isBusy, run, said } = useWork()
  if (!found.data || (found.data.perMonth === 0 && found.data.invites.length === 0)) return null
  const { perMonth, invites } = found.data
  const make = () =>
    run(async () => {
      const { id, code, link } = await askAs<Made>(fid, '/invites', {
        method: 'POST',
        body: { named: isNamed },
      })
      const known = [...invites.map((one) => one.id), id]
      keepInviteLinks(known, { [id]: link ?? `${location.origin}/join?invite=${code}` })
      setMade(id)
      await found.refetch()
      return t('The invite is made: hand on its link.')
    })
  const revoke = (id: string) =>
    run(async () => {
      await askAs(fid, `/own-invites/${id}`, { method: 'DELETE' })
      await found.refetch()
      return t('The invite is revoked.')
    })
  return (
    <section className="account-part" aria-labelledby="invites">
      <h2 id="invites">{t('Invite people')}</h2>
      <p className="muted">
        {t(
          'Each invite is for one person. You can make {perMonth} in 30 days; they can be copied in this browser only.',
          { perMonth },
        )}
      </p>
      <ul className="held">
        {invites.map((invite) => (
          <OwnInvite
            key={invite.id}
            invite={invite}
            isNew={invite.id === made}
            isBusy={isBusy}
            revoke={revoke}
          />
        ))}
      </ul>
      {perMonth > 0 && (
        <>
          <label className="check">
            <input
              type="checkbox"
              checked={isNamed}
              onChange={({ target }) => setNamed(target.checked)}
            />
            {t('Who follows the link sees that I invite them')}
          </label>
          <button type="button" className="secondary" disabled={isBusy} onClick={make}>
            {t('Make an invite')}
          </button>
        </>
      )}
      {said}
    </section>
  )
}

type RowProps = {
  invite: Invite
  isNew: boolean
  isBusy: boolean
  revoke: (id: string) => void
}

function OwnInvite({ invite, isNew, isBusy, revoke }: RowProps) {
  const { id, usesLeft, createdAt, expiresAt } = invite
  const [isShown, setShown] = useState(isNew)
  const isOpen = usesLeft > 0 && expiresAt > Date.now()
  const link = isOpen ? keptInviteLinks()[id] : undefined
  const state = usesLeft === 0 ? t('Used') : isOpen ? t('Not used yet') : t('Expired')
  return (
    <li className="own-invite">
      <span>
        {state}
        <span className="muted detail">
          {isOpen
            ? t('Made {date}, good until {date2}', {
                date: dateText(createdAt / MS_PER_SECOND),
                date2: dateText(expiresAt / MS_PER_SECOND),
              })
            : t('Made {date}', { date: dateText(createdAt / MS_PER_SECOND) })}
        </span>
      </span>
      {isOpen && (
        <span className="buttons">
          {link && (
            <button
              type="button"
              className="secondary"
              aria-expanded={isShown}
              onClick={() => setShown(!isShown)}
            >
              {isShown ? t('Hide the link') : t('Show the link')}
            </button>
          )}
          <button type="button" className="secondary" disabled={isBusy} onClick={() => revoke(id)}>
            {t('Revoke')}
          </button>
        </span>
      )}
      {link && isShown && (
        <div className="invite-link">
          <p>{inviteText(usesLeft, dateText(expiresAt / MS_PER_SECOND))}</p>
          <code>{link}</code>
          <ShareLink link={link} />
          <QrCode text={link} label={t('The link as a QR code')} />
        </div>
      )}
    </li>
  )
}
