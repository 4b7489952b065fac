import { feature } from '../../kernel/feature.ts'
import { APP_FID_MIGRATION } from './migrations/034-app-fids.ts'
import { APP_FIDS } from './tables/app-fids.ts'

/** Accounts that apps register for their users. */
export const registration = feature({
  name: 'registration',
  needs: ['app-api', 'signers'],
  tables: [APP_FIDS],
  migrations: [{ id: 34, what: 'fids for apps', statements: APP_FID_MIGRATION }],
  serve: () => import('./serve.ts'),
})
