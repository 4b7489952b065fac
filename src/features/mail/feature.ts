import { feature } from '../../kernel/feature.ts'
import { MAIL_MIGRATION } from './migrations/068-mail.ts'
import { MAIL_CHOICES_MIGRATION } from './migrations/072-mail-choices.ts'
import { MAIL_SETTINGS } from './settings.ts'
import { MAIL_ADDRESSES, MAIL_CHANGES, MAIL_LINKS, MAIL_REFUSED } from './tables/addresses.ts'
import { MAIL_WAITING } from './tables/mails.ts'

declare module '../../kernel/storage/locks.ts' {
  interface WholeKinds {
    mails: true
  }
}

/** E-mail: addresses that members confirm, notices about the security of accounts, and a way back to a lost one. */
export const mail = feature({
  name: 'mail',
  needs: ['app-api', 'languages', 'server-face'],
  tables: [MAIL_ADDRESSES, MAIL_CHANGES, MAIL_LINKS, MAIL_REFUSED, MAIL_WAITING],
  migrations: [
    { id: 68, what: 'e-mail', statements: MAIL_MIGRATION },
    { id: 72, what: 'choices about e-mail', statements: MAIL_CHOICES_MIGRATION },
  ],
  settings: [MAIL_SETTINGS],
  serve: () => import('./serve.ts'),
})
