import type { Mode } from '../../base/setting.ts'
import type { Storage, Writer } from '../storage.ts'
import { newStoreId, STORE_ID_CURSOR } from '../store-id.ts'

/** Names the mode that the data were made in. Kept when a development network is reset. */
const MODE_CURSOR = 'mode'
/** Set by the development network: how many of its accounts exist. */
const DEV_ACCOUNTS_CURSOR = 'dev-accounts'

/** The data were created in the other mode; the message says what to do. */
export class WrongModeError extends Error {}

/**
 * Stores the mode in which the data were first used, and refuses data of the other mode: keys of development
 * accounts are public, and a development network can be reset by anyone on the machine. Unmarked older data are
 * development data when they have development accounts.
 */
export async function claimMode(storage: Storage, mode: Mode): Promise<void> {
  const stored = await storage.write('hub', async (tx) => {
    const marked = (await tx.cursors.get(MODE_CURSOR)) ?? (await unmarkedMode(tx))
    // Unmarked data with other accounts may belong to a production server, so they are not marked.
    if (marked === undefined && mode === 'development' && (await tx.accounts.count()) > 0)
      return mode
    await tx.cursors.put(MODE_CURSOR, marked ?? mode)
    return marked ?? mode
  })
  if (stored === mode) return
  throw new WrongModeError(
    stored === 'development'
      ? 'These data are those of a development network, whose keys everybody knows: production refuses them. ' +
          'Point ROOKERY_DATA_DIR or DATABASE_URL at other data.'
      : 'These data are those of a production server: a development network, which can be reset, refuses them. ' +
          'Point ROOKERY_DATA_DIR or DATABASE_URL at other data.',
  )
}

const unmarkedMode = async (tx: Writer): Promise<Mode | undefined> =>
  (await tx.cursors.get(DEV_ACCOUNTS_CURSOR)) === undefined ? undefined : 'development'

/** Gives the data an id unless they have one. */
/** The id of the data, after `claimStoreId`. */
export const storeIdOf = async ({ cursors }: Pick<Storage, 'cursors'>): Promise<string> =>
  (await cursors.get(STORE_ID_CURSOR)) ?? ''

export async function claimStoreId(storage: Storage): Promise<void> {
  if ((await storage.cursors.get(STORE_ID_CURSOR)) !== undefined) return
  await storage.write('hub', async (tx) => {
    // Another process may have been faster.
    if ((await tx.cursors.get(STORE_ID_CURSOR)) !== undefined) return
    await tx.cursors.put(STORE_ID_CURSOR, newStoreId())
  })
}
