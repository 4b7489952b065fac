import { feature } from '../../kernel/feature.ts'
import { APP_SETTINGS } from './settings.ts'

/** Feeds, threads and writes in the shapes of a published app API. */
export const appApi = feature({
  name: 'app-api',
  needs: ['badges', 'blocks', 'channels', 'key-requests', 'registry', 'search', 'signers'],
  settings: [APP_SETTINGS],
  serve: () => import('./serve.ts'),
})
