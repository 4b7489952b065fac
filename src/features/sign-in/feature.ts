import { feature } from '../../kernel/feature.ts'
import { checkSignInKeys } from './check-keys.ts'
import { SIGN_IN_MIGRATION } from './migrations/030-sign-in.ts'
import { SIGN_IN_TOKEN_MIGRATION } from './migrations/063-sign-in-tokens.ts'
import { SIGN_IN_ACCOUNT_MIGRATION } from './migrations/064-sign-in-accounts.ts'
import { SIGN_IN_CHANNELS, SIGN_IN_KEYS, SIGN_IN_NONCES } from './tables/sign-in.ts'

declare module '../../kernel/storage/locks.ts' {
  interface PartKinds {
    'sign-in': true
  }
  interface WholeKinds {
    'sign-ins': true
  }
}

/** Sign in with an account: the relay, JSON-RPC for verifiers and Quick Auth. */
export const signIn = feature({
  name: 'sign-in',
  tables: [SIGN_IN_CHANNELS, SIGN_IN_KEYS, SIGN_IN_NONCES],
  migrations: [
    { id: 30, what: 'sign in', statements: SIGN_IN_MIGRATION },
    {
      id: 63,
      what: 'sign-ins without tokens',
      statements: SIGN_IN_TOKEN_MIGRATION,
    },
    { id: 64, what: 'rows by account', statements: SIGN_IN_ACCOUNT_MIGRATION },
  ],
  checks: [checkSignInKeys],
  serve: () => import('./serve.ts'),
})
