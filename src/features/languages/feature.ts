import { feature } from '../../kernel/feature.ts'
import { ACCOUNT_LANGUAGE_MIGRATION } from './migrations/074-account-languages.ts'
import { ACCOUNT_LANGUAGES } from './tables/account-languages.ts'

/** The language of each member, in the pages and in what the server writes. */
export const languages = feature({
  name: 'languages',
  needs: ['app-api', 'server-face'],
  tables: [ACCOUNT_LANGUAGES],
  migrations: [{ id: 74, what: 'languages of members', statements: ACCOUNT_LANGUAGE_MIGRATION }],
  serve: () => import('./serve.ts'),
})
