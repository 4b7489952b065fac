import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { CopyButton } from '../../shared/copy-button.tsx'
import { t } from '../../shared/messages.ts'
import { QrCode } from '../../shared/qr-code.tsx'
import { rich } from '../../shared/rich.tsx'
import { inviteText, ShareLink } from '../../shared/share-link.tsx'
import { cleanText, dateText } from '../../shared/text.ts'
import { ask, type Invite } from '../api.ts'
import { Act } from '../parts/act.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'

const MS_PER_SECOND = 1_000
const ROLES = {
  '': t('a member'),
  moderator: t('a moderator'),
  operator: t('an operator'),
} as const
type Role = keyof typeof ROLES
/** An invite with a role is for one person, and not for long. */
const MAX_ROLE_DAYS = 14

export function InvitesScreen() {
  const invites = useQuery({
    queryKey: ['invites'],
    queryFn: () => ask<{ invites: Invite[] }>('/accounts/invites'),
  })
  return (
    <>
      <Section
        heading={t('New invite')}
        note={t(
          'With its link people join, and who joins by one with a role has the role from the first moment on.',
        )}
      >
        <NewInviteForm />
      </Section>
      <Section
        heading={t('Invites')}
        note={t('The newest first. Codes are shown once and not stored.')}
      >
        <Loaded query={invites}>
          {({ invites }) =>
            invites.length === 0 ? (
              <Empty heading={t('No invites yet')} />
            ) : (
              <Rows
                label={t('Invites')}
                heads={[t('Label'), t('For'), t('Uses left'), t('Expires'), t('Revoke')]}
                rows={invites.map(({ id, label, role, uses, usesLeft, expiresAt }) => ({
                  key: id,
                  cells: [
                    <bdi key="label">{cleanText(label || '–')}</bdi>,
                    ROLES[role ?? ''],
                    t('{usesLeft} of {uses}', { usesLeft, uses }),
                    <Time key="expires" at={expiresAt / MS_PER_SECOND} />,
                    usesLeft === 0 ? (
                      <span key="revoke" className="muted">
                        {t('used up')}
                      </span>
                    ) : (
                      <Act
                        key="revoke"
                        text={t('Revoke')}
                        confirm={t('Revoke it now')}
                        method="DELETE"
                        path={`/accounts/invites/${id}`}
                      />
                    ),
                  ],
                }))}
              />
            )
          }
        </Loaded>
      </Section>
    </>
  )
}

type NewInvite = Invite & { readonly code: string; readonly link?: string }

/** The code is shown once, as the link that its holder follows where the address of the front door is known. */
function Created({ invite: { code, link, uses, expiresAt } }: { invite: NewInvite }) {
  return (
    <>
      <p className="secret">
        {link
          ? rich('The link, shown once: {link}', { link: <code>{link}</code> })
          : rich('The code, shown once: {code}', { code: <code>{code}</code> })}
      </p>
      <p>{inviteText(uses, dateText(expiresAt / MS_PER_SECOND))}</p>
      {link ? (
        <ShareLink link={link} />
      ) : (
        <CopyButton value={code} text={t('Copy the code')} isShown />
      )}
      {link && <QrCode text={link} label={t('The link as a QR code')} />}
    </>
  )
}

function NewInviteForm() {
  const queries = useQueryClient()
  const [terms, setTerms] = useState({ label: '', role: '' as Role, uses: 1, days: 7 })
  const create = useMutation({
    mutationFn: () => {
      const { role, ...rest } = terms
      const body = role === '' ? rest : { ...rest, role, uses: 1 }
      return ask<NewInvite>('/accounts/invites', { method: 'POST', body })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['invites'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <>
      <form className="inline-form" onSubmit={submit}>
        <label className="field grow">
          <span>{t('Label')}</span>
          <input
            maxLength={100}
            autoComplete="off"
            value={terms.label}
            onChange={(event) => setTerms({ ...terms, label: event.target.value })}
          />
        </label>
        <label className="field">
          <span>{t('For')}</span>
          <select
            value={terms.role}
            onChange={({ target }) => setTerms({ ...terms, role: target.value as Role })}
          >
            {Object.entries(ROLES).map(([role, words]) => (
              <option key={role} value={role}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>{t('How many people')}</span>
          <input
            required
            type="number"
            min={1}
            max={terms.role === '' ? 1_000_000 : 1}
            disabled={terms.role !== ''}
            value={terms.role === '' ? terms.uses : 1}
            onChange={(event) => setTerms({ ...terms, uses: event.target.valueAsNumber || 1 })}
          />
        </label>
        <label className="field">
          <span>{t('Days until it ends')}</span>
          <input
            required
            type="number"
            min={1}
            max={terms.role === '' ? 3_650 : MAX_ROLE_DAYS}
            value={terms.days}
            onChange={(event) => setTerms({ ...terms, days: event.target.valueAsNumber || 1 })}
          />
        </label>
        <button type="submit" className="primary" disabled={create.isPending}>
          {t('Create invite')}
        </button>
      </form>
      <div role="status">
        {create.data && <Created invite={create.data} />}
        {create.error && <p className="fault">{create.error.message}</p>}
      </div>
    </>
  )
}
