import { feature } from '../../kernel/feature.ts'
import { ACCOUNT_LANGUAGE_MIGRATION } from './migrations/074-account-languages.ts'
import { READING_LANGUAGE_MIGRATION } from './migrations/075-reading-languages.ts'
import { ACCOUNT_LANGUAGES } from './tables/account-languages.ts'
import { READING_LANGUAGES } from './tables/reading-languages.ts'

/** The language of each member, in the pages and in what the server writes, and those of posts. */
export const languages = feature({
  name: 'languages',
  needs: ['app-api', 'server-face'],
  tables: [ACCOUNT_LANGUAGES, READING_LANGUAGES],
  migrations: [
    { id: 74, what: 'languages of members', statements: ACCOUNT_LANGUAGE_MIGRATION },
    { id: 75, what: 'languages that members read', statements: READING_LANGUAGE_MIGRATION },
  ],
  serve: () => import('./serve.ts'),
})
