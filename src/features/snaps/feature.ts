import { feature } from '../../kernel/feature.ts'

/** Cards in posts that a server describes and that answer a press. `ROOKERY_MINI_APPS=off` turns them off, too. */
export const snaps = feature({
  name: 'snaps',
  needs: ['web'],
  serve: () => import('./serve.ts'),
})
