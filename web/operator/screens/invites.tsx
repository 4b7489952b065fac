import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { CopyButton } from '../../shared/copy-button.tsx'
import { QrCode } from '../../shared/qr-code.tsx'
import { cleanText } from '../../shared/text.ts'
import { ask, type Invite } from '../api.ts'
import { Act } from '../parts/act.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { timeText } from '../text.ts'

const MS_PER_SECOND = 1_000

export function InvitesScreen() {
  const invites = useQuery({
    queryKey: ['invites'],
    queryFn: () => ask<{ invites: Invite[] }>('/accounts/invites'),
  })
  return (
    <>
      <Section
        heading="New invite"
        note="With its code people register where ROOKERY_SIGNUP is invite."
      >
        <NewInviteForm />
      </Section>
      <Section heading="Invites" note="The newest first. Codes are shown once and not stored.">
        <Loaded query={invites} what="invites">
          {({ invites }) =>
            invites.length === 0 ? (
              <Empty heading="No invites yet" />
            ) : (
              <Rows
                label="Invites"
                heads={['Label', 'Uses left', 'Expires', 'Revoke']}
                rows={invites.map(({ id, label, uses, usesLeft, expiresAt }) => ({
                  key: id,
                  cells: [
                    <bdi key="label">{cleanText(label || '–')}</bdi>,
                    `${usesLeft} of ${uses}`,
                    timeText(expiresAt / MS_PER_SECOND),
                    <Act
                      key="revoke"
                      text="Revoke"
                      confirm="Revoke it now"
                      method="DELETE"
                      path={`/accounts/invites/${id}`}
                    />,
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
function Created({ invite: { code, link } }: { invite: NewInvite }) {
  return (
    <>
      <p className="secret">
        {link ? 'The link' : 'The code'}, shown once: <code>{link ?? code}</code>{' '}
        <CopyButton value={link ?? code} what={link ? 'link' : 'code'} />
      </p>
      {link && <QrCode text={link} label="The link as a QR code" />}
    </>
  )
}

function NewInviteForm() {
  const queries = useQueryClient()
  const [terms, setTerms] = useState({ label: '', uses: 1, days: 7 })
  const create = useMutation({
    mutationFn: () => ask<NewInvite>('/accounts/invites', { method: 'POST', body: terms }),
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
          <span>Label</span>
          <input
            maxLength={100}
            autoComplete="off"
            value={terms.label}
            onChange={(event) => setTerms({ ...terms, label: event.target.value })}
          />
        </label>
        <label className="field">
          <span>Uses</span>
          <input
            required
            type="number"
            min={1}
            max={1_000_000}
            value={terms.uses}
            onChange={(event) => setTerms({ ...terms, uses: event.target.valueAsNumber || 1 })}
          />
        </label>
        <label className="field">
          <span>Days</span>
          <input
            required
            type="number"
            min={1}
            max={3_650}
            value={terms.days}
            onChange={(event) => setTerms({ ...terms, days: event.target.valueAsNumber || 1 })}
          />
        </label>
        <button type="submit" className="primary" disabled={create.isPending}>
          Create invite
        </button>
      </form>
      <div role="status">
        {create.data && <Created invite={create.data} />}
        {create.error && <p className="fault">{create.error.message}</p>}
      </div>
    </>
  )
}
