import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { t } from '../../shared/messages.ts'
import { shortHex } from '../../shared/text.ts'
import type { OwnMail } from '../account/mail.tsx'
import { NOBODY, type RecoveryTerms } from '../custody/recovery-terms.ts'
import { followReminders, isSaved } from '../custody/reminder.ts'
import { useOwnUser } from '../parts/discover.tsx'
import { handleOf, nameOf } from '../parts/person.tsx'
import { useSession } from '../session/session.tsx'

/** Settings of which it may be known what they are set to. */
export type Known = 'profile' | 'name' | 'words' | 'recovery' | 'mail'

/** What the account has set, as far as this browser knows it without asking for it. */
export function useNow(): Partial<Record<Known, string | undefined>> {
  const { fid } = useSession()
  const user = useOwnUser()
  const queries = useQueryClient()
  const areWordsSaved = useSyncExternalStore(
    followReminders,
    () => fid !== undefined && isSaved(fid),
  )
  // `/account` asks for these.
  const mail = queries.getQueryData<OwnMail>(['own mail', fid])
  const account = queries.getQueryData<{ recoveryAddress: string }>(['account', fid])
  const terms = queries.getQueryData<RecoveryTerms>(['recovery', fid])
  return {
    profile: user && nameOf(user),
    name: user && handleOf(user),
    words: areWordsSaved ? t('Saved') : undefined,
    recovery: account && recoveryText(account.recoveryAddress, terms?.service?.address),
    // The address itself is shown only where the account is unlocked.
    mail: mail && (mail.address ? t('Set') : t('None')),
  }
}

function recoveryText(address: string, service: string | undefined): string {
  if (address === NOBODY) return t('None')
  return address === service ? t('This server') : shortHex(address)
}
