import { feature } from '../../kernel/feature.ts'
import { MAIL_MIGRATION } from './migrations/068-mail.ts'
import { MAIL_CHOICES_MIGRATION } from './migrations/072-mail-choices.ts'
import { MAIL_SERVER_MIGRATION } from './migrations/077-mail-server.ts'
import { sealedMailServer } from './sealed-mail-server.ts'
import { MAIL_SETTINGS } from './settings.ts'
import { MAIL_ADDRESSES, MAIL_CHANGES, MAIL_LINKS, MAIL_REFUSED } from './tables/addresses.ts'
import { MAIL_WAITING } from './tables/mails.ts'
import { MAIL_SERVERS } from './tables/servers.ts'

declare module '../../kernel/storage/locks.ts' {
  interface WholeKinds {
    mails: true
  }
}

/** E-mail: addresses that members confirm, notices about the security of accounts, and a way back to a lost one. */
export const mail = feature({
  name: 'mail',
  needs: ['app-api', 'languages', 'moderation-records', 'server-face'],
  tables: [MAIL_ADDRESSES, MAIL_CHANGES, MAIL_LINKS, MAIL_REFUSED, MAIL_WAITING, MAIL_SERVERS],
  migrations: [
    { id: 68, what: 'e-mail', statements: MAIL_MIGRATION },
    { id: 72, what: 'choices about e-mail', statements: MAIL_CHOICES_MIGRATION },
    { id: 77, what: 'the mail server of the room', statements: MAIL_SERVER_MIGRATION },
  ],
  settings: [MAIL_SETTINGS],
  sealed: sealedMailServer,
  serve: () => import('./serve.ts'),
})
