import { toHex } from '../protocol/bytes.ts'
import type { Storage } from '../storage/storage.ts'

const CURSOR = 'registry-signer'

/** The names of this store are signed with another key; the message says whose. */
export class WrongSignerError extends Error {}

/**
 * Remembers who signs the names of this store. Another signer is only taken when an operator named it:
 * of servers on one store, each with a key file of its own, all but one are refused.
 */
export async function claimSigner(
  storage: Storage,
  signer: Uint8Array,
  { mayChange }: { mayChange: boolean },
): Promise<{ before: string | undefined }> {
  const ours = toHex(signer)
  const before = await storage.write('registry', async (tx) => {
    const stored = await tx.cursors.get(CURSOR)
    if (stored === undefined || (stored !== ours && mayChange)) await tx.cursors.put(CURSOR, ours)
    return stored
  })
  if (before !== undefined && before !== ours && !mayChange) {
    throw new WrongSignerError(
      `The names of this store are signed by ${before}, but the key file here is ${ours}'s. ` +
        'Set ROOKERY_REGISTRY_KEY to the key that every server on this store is to use.',
    )
  }
  return { before: before === ours ? undefined : before }
}
