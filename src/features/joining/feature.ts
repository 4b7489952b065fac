import { feature } from '../../kernel/feature.ts'
import { CONSENT_MIGRATION } from './migrations/069-consents.ts'
import { CONSENTS } from './tables/consents.ts'

/** What people agree to when they join. */
export const joining = feature({
  name: 'joining',
  needs: ['server-face'],
  tables: [CONSENTS],
  migrations: [{ id: 69, what: 'consents to the rules', statements: CONSENT_MIGRATION }],
  serve: () => import('./serve.ts'),
})
