import { feature } from '../../kernel/feature.ts'
import { MUTED_TERMS } from './tables/muted-terms.ts'

/** Accounts, channels and words that a user does not want to see. */
export const mutes = feature({
  name: 'mutes',
  tables: [MUTED_TERMS],
})
