import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { Notice } from '../../shared/page.tsx'
import { clearOverrides } from '../act/overrides.ts'
import { useSession } from '../session/session.tsx'
import { enterWith } from './create-account.ts'
import { endRecovery } from './kept-recovery.ts'
import { connectionOf } from './words.ts'

const TIME = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })

/** Signs in with the words of an account, and goes on at a path of this client. `waits` says why it takes its time. */
export function useEnter(): {
  readonly enter: (words: string, to: string) => Promise<void>
  readonly waits: ReactNode
} {
  const { become } = useSession()
  const navigate = useNavigate()
  const [until, setUntil] = useState<number>()
  const enter = async (words: string, to: string) => {
    const fid = await enterWith(words, (progress) => setUntil(progress.until))
    clearOverrides()
    become(fid)
    await endRecovery(connectionOf(words).address)
    navigate(to)
  }
  const waits = until && (
    <Notice tone="plain">
      {t(
        'This account got another key less than a minute ago. This one is added at {date}. Keep this page open.',
        { date: TIME.format(until) },
      )}
    </Notice>
  )
  return { enter, waits }
}
