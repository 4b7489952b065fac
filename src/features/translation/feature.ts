import { feature } from '../../kernel/feature.ts'
import { TRANSLATOR_MIGRATION } from './migrations/075-translator.ts'
import { sealedTranslator } from './sealed-translator.ts'
import { TRANSLATORS } from './tables/translators.ts'

declare module '../../kernel/storage/locks.ts' {
  interface PartKinds {
    /** What translations have used. */
    translations: true
  }
}

/** Translations of casts by a service that the operator has set up. */
export const translation = feature({
  name: 'translation',
  needs: ['app-api', 'languages', 'moderation-records'],
  tables: [TRANSLATORS],
  migrations: [{ id: 75, what: 'the translator of the server', statements: TRANSLATOR_MIGRATION }],
  sealed: sealedTranslator,
  serve: () => import('./serve.ts'),
})
