import { MAX_ROWS_REPORTED, type RowCheck } from '../../kernel/storage/tables/schema.ts'
import { actionRows } from './tables/actions.ts'

/** Reports actions whose number of installs differs from their rows. */
export const checkActionCounts: RowCheck = async (storage, found) => {
  const actions = await storage.of(actionRows).miscounted(MAX_ROWS_REPORTED)
  for (const { url, installs, users } of actions) {
    found('action count', `${url} counts ${installs} users of ${users}`)
  }
}
