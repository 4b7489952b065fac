import { feature } from '../../kernel/feature.ts'
import { MINI_APP_MIGRATION } from './migrations/054-mini-apps.ts'
import { MINI_APP_CAMPAIGN_MIGRATION } from './migrations/056-mini-app-campaigns.ts'
import { MINI_APP_SETTINGS } from './settings.ts'
import { MINI_APP_CAMPAIGNS } from './tables/mini-app-campaigns.ts'
import { MINI_APP_DELIVERIES, MINI_APP_EVENTS } from './tables/mini-app-deliveries.ts'
import { MINI_APP_NOTICES, MINI_APP_TOKENS } from './tables/mini-app-notices.ts'
import { ADDED_MINI_APPS, MINI_APP_PEOPLE, MINI_APP_USES } from './tables/mini-app-users.ts'
import { FEATURED_MINI_APPS, MINI_APPS } from './tables/mini-apps.ts'

declare module '../../kernel/storage/locks.ts' {
  interface PartKinds {
    'mini-app': true
  }
  interface WholeKinds {
    'mini-apps': true
  }
}

/** Web apps that run inside clients: catalogue, events, notifications. */
export const miniApps = feature({
  name: 'mini-apps',
  needs: ['moderation-records'],
  tables: [
    MINI_APP_CAMPAIGNS,
    MINI_APP_DELIVERIES,
    MINI_APP_EVENTS,
    MINI_APP_NOTICES,
    MINI_APP_TOKENS,
    ADDED_MINI_APPS,
    MINI_APP_PEOPLE,
    MINI_APP_USES,
    FEATURED_MINI_APPS,
    MINI_APPS,
  ],
  migrations: [
    { id: 54, what: 'mini apps', statements: MINI_APP_MIGRATION },
    { id: 56, what: 'notifications through the app API', statements: MINI_APP_CAMPAIGN_MIGRATION },
  ],
  settings: [MINI_APP_SETTINGS],
  serve: () => import('./serve.ts'),
})
