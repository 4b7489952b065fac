import { feature } from '../../kernel/feature.ts'
import { APP_SIGNER_MIGRATION } from './migrations/016-app-signers.ts'
import { sealedSigners } from './sealed-signers.ts'
import { APP_SIGNERS } from './tables/app-signers.ts'

/** Keys with which apps sign for users through the app API. */
export const signers = feature({
  name: 'signers',
  needs: ['key-requests'],
  tables: [APP_SIGNERS],
  migrations: [{ id: 16, what: 'signers of apps', statements: APP_SIGNER_MIGRATION }],
  sealed: sealedSigners,
  serve: () => import('./serve.ts'),
})
