import type { Reader, Writer } from '../storage/storage.ts'

// Fids that a network leaves to another one, whose accounts it may have beside its own.

/** Greater than the fids that any network gives: those of a network that is forked end here. */
export const FORKED_FID = 1_000_000_000

const CURSOR = 'fid-floor'

/** Accounts that register here get fids above this one; 0 where nothing was left to others. */
export const fidFloor = async ({ cursors }: Pick<Reader, 'cursors'>): Promise<number> =>
  Number((await cursors.get(CURSOR)) ?? 0)

/** From now on accounts that register get fids above this one. */
export const putFidFloor = ({ cursors }: Pick<Writer, 'cursors'>, fid: number): Promise<void> =>
  cursors.put(CURSOR, String(fid))

/** The fid before the next one that is given. */
export async function newestGivenFid(reader: Reader): Promise<number> {
  const [newest, floor] = await Promise.all([reader.accounts.newestFid(), fidFloor(reader)])
  return Math.max(newest, floor)
}
