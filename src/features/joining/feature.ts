import { feature } from '../../kernel/feature.ts'
import { CONSENT_MIGRATION } from './migrations/069-consents.ts'
import { JOIN_REQUEST_MIGRATION } from './migrations/070-join-requests.ts'
import { CONSENTS } from './tables/consents.ts'
import { JOIN_REQUESTS } from './tables/join-requests.ts'

/** What people agree to when they join, and who waits to be let in. */
export const joining = feature({
  name: 'joining',
  needs: ['moderation-records', 'server-face'],
  tables: [CONSENTS, JOIN_REQUESTS],
  migrations: [
    { id: 69, what: 'consents to the rules', statements: CONSENT_MIGRATION },
    { id: 70, what: 'requests to join', statements: JOIN_REQUEST_MIGRATION },
  ],
  serve: () => import('./serve.ts'),
})
