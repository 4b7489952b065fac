import { feature } from '../../kernel/feature.ts'
import { WEB_SETTINGS } from './settings.ts'

/** Pages: the web client, link previews, feeds, pictures of other sites. */
export const web = feature({
  name: 'web',
  needs: ['server-face'],
  settings: [WEB_SETTINGS],
  serve: () => import('./serve.ts'),
})
