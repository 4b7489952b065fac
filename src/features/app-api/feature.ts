import { feature } from '../../kernel/feature.ts'
import { SEEN_AND_IDEM_MIGRATION } from './migrations/016-seen-and-idems.ts'
import { SEEN_ACCOUNT_MIGRATION } from './migrations/064-seen-accounts.ts'
import { CHANNEL_LOOK_MIGRATION } from './migrations/072-channel-looks.ts'
import { APP_SETTINGS } from './settings.ts'
import { APP_IDEMS } from './tables/app-idems.ts'
import { APP_SEEN } from './tables/app-seen.ts'
import { CHANNEL_LOOKS } from './tables/channel-looks.ts'
import { APP_BANS, APP_MUTES, HIDDEN_ACCOUNTS } from './tables/hidden-accounts.ts'

declare module '../../kernel/storage/locks.ts' {
  interface PartKinds {
    idem: true
  }
}

/** Feeds, threads and writes in the shapes of a published app API. */
export const appApi = feature({
  name: 'app-api',
  needs: [
    'badges',
    'blocks',
    'channels',
    'key-requests',
    'mirror',
    'moderation-records',
    'registry',
    'search',
    'signers',
  ],
  tables: [APP_BANS, APP_IDEMS, APP_MUTES, APP_SEEN, CHANNEL_LOOKS],
  shown: HIDDEN_ACCOUNTS,
  migrations: [
    { id: 16, what: 'what users of apps have seen', statements: SEEN_AND_IDEM_MIGRATION },
    { id: 64, what: 'rows by account', statements: SEEN_ACCOUNT_MIGRATION },
    { id: 72, what: 'looks at channels', statements: CHANNEL_LOOK_MIGRATION },
  ],
  settings: [APP_SETTINGS],
  serve: () => import('./serve.ts'),
})
