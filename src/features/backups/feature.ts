import { feature } from '../../kernel/feature.ts'
import { BACKUP_SETTINGS } from './settings.ts'

/** Copies of the embedded store, verified and kept in turn. */
export const backups = feature({
  name: 'backups',
  needs: ['registry'],
  settings: [BACKUP_SETTINGS],
  serve: () => import('./serve.ts'),
})
