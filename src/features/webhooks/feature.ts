import { feature } from '../../kernel/feature.ts'
import { sealedWebhooks } from './sealed-webhooks.ts'

/** Events that the app API sends to servers of apps. */
export const webhooks = feature({
  name: 'webhooks',
  needs: ['app-api'],
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
