import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { ask } from '../api.ts'
import { MailServer, type MailStatus, type Typed } from './mail-server.tsx'
import { Loaded, Section } from './section.tsx'

type Result = { readonly sent: boolean; readonly server: string; readonly said: string }

/** Where mails go, one with which the owner sees whether they arrive, and the mail server. */
export function MailTest() {
  const status = useQuery({ queryKey: ['mail'], queryFn: () => ask<MailStatus>('/app/mail') })
  const [said, setSaid] = useState<string>()
  const [typed, setTyped] = useState<Typed>()
  // A server without accounts of its own has no mail either.
  if (status.error instanceof Refusal && status.error.status === 404) return null
  return (
    <Section heading={t('E-mail')}>
      <Loaded query={status}>
        {(mail) => (
          <>
            <Where mail={mail} />
            <div role="status">
              {said !== undefined && mail.server !== null && (
                <Said result={{ sent: true, server: mail.server, said }} />
              )}
            </div>
            <MailServer
              key={mail.setUp?.changedAt}
              status={mail}
              onSaid={setSaid}
              typed={typed}
              onTyped={setTyped}
            />
          </>
        )}
      </Loaded>
    </Section>
  )
}

function Where({ mail: { server, from, waiting, setUp } }: { mail: MailStatus }) {
  if (server === null) {
    return (
      <p className="muted">
        {t(
          'This server sends no e-mail yet. With it members are told what touches their account, and get a lost one back. Name a mail server: that of a provider, or your own.',
        )}
      </p>
    )
  }
  return (
    <>
      <p className="muted">
        {rich('E-mails go out by {server}, from {from}. {waiting}', {
          server: <bdi>{server}</bdi>,
          from: <bdi>{from}</bdi>,
          waiting:
            waiting > 0 && t('{waiting, plural, one {# waits.} other {# wait.}}', { waiting }),
        })}
      </p>
      {/* What another server has said is over. */}
      <TestForm key={setUp?.changedAt} />
    </>
  )
}

function TestForm() {
  const [to, setTo] = useState('')
  const test = useMutation({
    mutationFn: () => ask<Result>('/app/mail/test', { method: 'POST', body: { to: to.trim() } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    test.mutate()
  }
  return (
    <>
      <form className="inline-form" onSubmit={submit}>
        <label className="field grow">
          <span>{t('Send a test e-mail to')}</span>
          <input
            required
            type="email"
            maxLength={254}
            autoComplete="email"
            value={to}
            onChange={({ target }) => setTo(target.value)}
          />
        </label>
        <button type="submit" className="primary" disabled={test.isPending}>
          {test.isPending ? t('Working …') : t('Send')}
        </button>
      </form>
      <div role="status">
        {test.data && !test.isPending && <Said result={test.data} />}
        {test.error && !test.isPending && <Fault text={test.error.message} />}
      </div>
    </>
  )
}

const Fault = ({ text }: { text: string }) => (
  <p className="fault">
    <Icon name="warning" /> <bdi>{cleanText(text)}</bdi>
  </p>
)

/** What the mail server has said, which is English or in its own language. */
const Said = ({ result: { sent, server, said } }: { result: Result }) =>
  sent ? (
    <p>
      {rich(
        '{server} has taken the mail: {said}. If it does not arrive, look among the unwanted mails there.',
        { server: <bdi>{server}</bdi>, said: <bdi>{cleanText(said.replace(/\.$/, ''))}</bdi> },
      )}
    </p>
  ) : (
    <Fault text={said} />
  )
