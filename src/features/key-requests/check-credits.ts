import { MAX_ROWS_REPORTED, type RowCheck } from '../../kernel/storage/tables/schema.ts'
import { keyRequestRows } from './tables/key-requests.ts'

/** Reports sponsors whose balance differs from their entries, or whose reserve has no approved request. */
export const checkCredits: RowCheck = async (storage, found) => {
  for (const sponsor of await storage.of(keyRequestRows).miscounted(MAX_ROWS_REPORTED)) {
    const { fid, balance, entered, reserved, approved } = sponsor
    const credits = `${balance} credits, ${reserved} of them set aside`
    found('credits', `fid ${fid} has ${credits}, of ${entered} and for ${approved} requests`)
  }
}
