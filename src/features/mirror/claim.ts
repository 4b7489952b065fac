import type { Storage } from '../../kernel/storage/storage.ts'
import type { MirrorConfig } from './settings.ts'
import { mirrorRows } from './tables/mirror.ts'

/** The stored data are those of another server than the settings say; the message says what to do. */
export class MirrorDataError extends Error {}

/**
 * Makes sure that a mirror starts on its own data or on none, and that the data of a mirror are not written by anybody else.
 */
export async function claimMirror(
  storage: Storage,
  { mirrorUrls, mirrorEnded }: Pick<MirrorConfig, 'mirrorUrls' | 'mirrorEnded'>,
): Promise<void> {
  const held = await storage.of(mirrorRows).source()
  const isMirrored = held !== undefined
  if (mirrorUrls.length === 0) {
    // With the accounts of a chain the server goes on as a hub of its own.
    const hasChain = (await storage.chain.sources()).some(({ name }) => name === 'accounts')
    if (!isMirrored || mirrorEnded || hasChain) return
    throw new MirrorDataError(
      `These data are a mirror of ${held.host}. Set ROOKERY_MIRROR_URLS to go on, or ` +
        'ROOKERY_MIRROR_ENDED=yes to serve them for good without any writes.',
    )
  }
  if (isMirrored) return
  const accounts = (await storage.accounts.count()) + (await storage.ledger.pendingCount())
  const chain = await storage.chain.sources()
  if (accounts === 0 || chain.length > 0) return
  throw new MirrorDataError(
    'These data hold accounts that were made here, and ROOKERY_MIRROR_URLS says to mirror another hub. ' +
      'Point ROOKERY_DATA_DIR or DATABASE_URL at other data.',
  )
}
