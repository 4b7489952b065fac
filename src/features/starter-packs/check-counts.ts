import { MAX_ROWS_REPORTED, type RowCheck } from '../../kernel/storage/tables/schema.ts'
import { starterPackRows } from './tables/starter-packs.ts'

/** Reports starter packs whose number of members differs from their rows. */
export const checkStarterPackCounts: RowCheck = async (storage, found) => {
  const packs = await storage.of(starterPackRows).miscounted(MAX_ROWS_REPORTED)
  for (const { id, member_count, members } of packs) {
    found('starter pack count', `${id} counts ${member_count} members of ${members}`)
  }
}
