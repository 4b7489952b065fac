import { useState } from 'react'
import { useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import type { Connection } from '../../wallets/provider.ts'
import { releaseName } from '../act/account-calls.ts'
import { useSignOut } from '../act/use-sign-out.ts'
import { forgetKept } from '../custody/kept.ts'
import { forgetReminder } from '../custody/reminder.ts'
import { ownerRequest } from '../custody/server.ts'
import type { PartProps } from './part.ts'
import { useWork } from './use-work.tsx'

type Prepared = {
  readonly path: string
  readonly messages: number
  readonly mediaBytes: number
}

const MB = 1_000_000

/** Has the browser download everything of an account as one file, which the server makes while it sends it. */
async function download(connection: Connection, fid: number): Promise<string> {
  const body = await ownerRequest(connection, fid, 'export')
  const { path, messages, mediaBytes } = await fetchJson<Prepared>('/accounts/v1/archive', {
    method: 'POST',
    body,
  })
  Object.assign(document.createElement('a'), { href: path, download: '' }).click()
  const begins =
    mediaBytes < MB
      ? t('The download begins: {messages, plural, one {# message} other {# messages}}.', {
          messages,
        })
      : t(
          'The download begins: {messages, plural, one {# message} other {# messages}} and about {mediaBytes} MB of pictures.',
          { messages, mediaBytes: Math.round(mediaBytes / MB) },
        )
  const readIt = t('Open index.html in it to read it.')
  return `${begins} ${readIt}`
}

/** Downloading and deleting what one has written. */
export function OwnData({ fid, username, opened }: PartProps) {
  const [isAsked, setAsked] = useState(false)
  const signOut = useSignOut()
  const navigate = useNavigate()
  const { isBusy, run, said } = useWork()
  const erase = () =>
    run(async () => {
      const { connection } = opened!
      if (!username.startsWith('!')) await releaseName(connection, fid, username).catch(() => {})
      const body = await ownerRequest(connection, fid, 'erase')
      await fetchJson('/accounts/v1/erase-messages', { method: 'POST', body })
      await forgetKept(connection.address)
      forgetReminder(fid)
      await signOut()
      navigate('/')
      return t('Deleted.')
    })
  return (
    <section className="account-part" aria-labelledby="data">
      <h2 id="data">{t('Your data')}</h2>
      {!opened && <p className="muted">{t('Unlock above to download or delete it.')}</p>}
      {opened && (
        <p className="buttons">
          <button
            type="button"
            className="secondary"
            disabled={isBusy}
            onClick={() => run(() => download(opened.connection, fid))}
          >
            {t('Download my data')}
          </button>
          {!isAsked && (
            <button type="button" className="secondary" onClick={() => setAsked(true)}>
              {t('Delete my account …')}
            </button>
          )}
        </p>
      )}
      {opened && isAsked && (
        <>
          <p>
            {t(
              'This deletes everything you have written here, your profile, follows and likes, and the locked copies of your key, for good. Your name is released when its 28 days are over. Other servers that have copies are told, and may keep them.',
            )}
          </p>
          <p className="buttons">
            <button type="button" className="danger" disabled={isBusy} onClick={erase}>
              {t('Delete for good')}
            </button>
            <button type="button" className="secondary" onClick={() => setAsked(false)}>
              {t('Keep it')}
            </button>
          </p>
        </>
      )}
      {said}
    </section>
  )
}
