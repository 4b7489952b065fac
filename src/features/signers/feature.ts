import { feature } from '../../kernel/feature.ts'
import { APP_SIGNER_MIGRATION } from './migrations/016-app-signers.ts'
import { APP_SIGNER_ACCOUNT_MIGRATION } from './migrations/064-app-signer-accounts.ts'
import { sealedSigners } from './sealed-signers.ts'
import { APP_SIGNERS } from './tables/app-signers.ts'

/** Keys with which apps sign for users through the app API. */
export const signers = feature({
  name: 'signers',
  needs: ['key-requests'],
  tables: [APP_SIGNERS],
  migrations: [
    { id: 16, what: 'signers of apps', statements: APP_SIGNER_MIGRATION },
    { id: 64, what: 'rows by account', statements: APP_SIGNER_ACCOUNT_MIGRATION },
  ],
  sealed: sealedSigners,
  serve: () => import('./serve.ts'),
})
