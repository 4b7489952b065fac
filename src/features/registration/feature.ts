import { feature } from '../../kernel/feature.ts'
import { APP_FIDS } from './tables/app-fids.ts'

/** Accounts that apps register for their users. */
export const registration = feature({
  name: 'registration',
  tables: [APP_FIDS],
})
