import { KEY_FILES } from '../../kernel/base/server-key.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { Reader, Storage } from '../../kernel/storage/storage.ts'

const CURSOR = 'registry-signer'

/** The address that signs the names of a store; undefined before its first registry. */
export const storedSigner = ({ cursors }: Pick<Reader, 'cursors'>): Promise<string | undefined> =>
  cursors.get(CURSOR)

/** The names of this store are signed with another key; the message names its address. */
export class WrongSignerError extends Error {}

/** What is to be done when the key of a store's signer is not in its file. */
export const missingKey = (signer: string, file: string): string =>
  `The names of this store are signed by ${signer}, whose key is not in ${file}. Put the file of the server that ` +
  `signed them there, or set ${KEY_FILES.registry.variable} to the key that is to sign from now on.`

/**
 * Stores the address that signs the names of this store. Another signer is accepted only when an operator names
 * it: of servers on one store with different key files, all but one are refused.
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
