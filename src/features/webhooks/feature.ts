import { feature } from '../../kernel/feature.ts'
import { APP_WEBHOOK_MIGRATION } from './migrations/016-app-webhooks.ts'
import { UNTOLD_CAST_MIGRATION } from './migrations/064-untold-casts.ts'
import { sealedWebhooks } from './sealed-webhooks.ts'
import { APP_WEBHOOKS } from './tables/app-webhooks.ts'
import { UNTOLD_CASTS } from './tables/untold-casts.ts'

/** Events that the app API sends to servers of apps. */
export const webhooks = feature({
  name: 'webhooks',
  needs: ['app-api'],
  tables: [APP_WEBHOOKS, UNTOLD_CASTS],
  migrations: [
    { id: 16, what: 'webhooks of apps', statements: APP_WEBHOOK_MIGRATION },
    { id: 64, what: 'casts that webhooks were not told of', statements: UNTOLD_CAST_MIGRATION },
  ],
  sealed: sealedWebhooks,
  counted: [
    {
      name: 'rookery_webhooks',
      help: 'Webhooks of apps by state; inactive ones were switched off, by their app or after failures',
      label: 'state',
      rows: {
        active: 'app_webhook where active = 1',
        inactive: 'app_webhook where active = 0',
      },
    },
  ],
  serve: () => import('./serve.ts'),
})
