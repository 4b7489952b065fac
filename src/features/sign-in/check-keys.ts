import { createPrivateKey } from 'node:crypto'
import type { RowCheck } from '../../kernel/storage/tables/schema.ts'
import { signInRows } from './tables/sign-in.ts'

const MAX_KEYS = 500

/** Reports a key of Quick Auth that signs nothing, and a second one, which other processes may use. */
export const checkSignInKeys: RowCheck = async (storage, found) => {
  const keys = await storage.of(signInRows).keys(MAX_KEYS)
  if (keys.length > 1) found('sign-in key', `there are ${keys.length} keys instead of one`)
  for (const { kid, private_jwk } of keys) {
    try {
      createPrivateKey({ key: JSON.parse(private_jwk), format: 'jwk' })
    } catch (error) {
      found('sign-in key', `${kid} cannot be read: ${(error as Error).message}`)
    }
  }
}
