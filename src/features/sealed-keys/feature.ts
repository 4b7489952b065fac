import { feature } from '../../kernel/feature.ts'
import { SEALED_KEY_MIGRATION } from './migrations/043-sealed-keys.ts'
import { SEALED_KEY_REQUEST_MIGRATION } from './migrations/063-sealed-key-requests.ts'
import { SEALED_KEY_REQUESTS, SEALED_KEYS } from './tables/sealed-keys.ts'

/** Custody keys of browsers, sealed with a password or a passkey. */
export const sealedKeys = feature({
  name: 'sealed-keys',
  needs: ['sign-in'],
  tables: [SEALED_KEY_REQUESTS, SEALED_KEYS],
  migrations: [
    { id: 63, what: 'requests about sealed keys', statements: SEALED_KEY_REQUEST_MIGRATION },
    { id: 43, what: 'sealed custody keys', statements: SEALED_KEY_MIGRATION },
  ],
  serve: () => import('./serve.ts'),
})
