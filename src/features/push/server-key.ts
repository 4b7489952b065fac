import type { Storage } from '../../kernel/storage/storage.ts'
import type { PushKey } from './tables/pushes.ts'
import { pushRows } from './tables/pushes.ts'

/**
 * The key by which push services know this server (VAPID, RFC 8292). It is made at the first use and lies in the store, so that
 * all processes have the same one and every backup has it. Devices are bound to it: with another key none would be told anything.
 */
export async function getPushKey(
  storage: Pick<Storage, 'of' | 'write'>,
  now: number,
): Promise<PushKey> {
  const found = await storage.of(pushRows).key()
  if (found) return found
  const { default: webPush } = await import('web-push')
  const made = webPush.generateVAPIDKeys()
  return storage.write('all/pushes', (tx) =>
    tx.of(pushRows).keepKey({
      public_key: Buffer.from(made.publicKey, 'base64url'),
      private_key: Buffer.from(made.privateKey, 'base64url'),
      created_at: Math.floor(now / 1_000),
    }),
  )
}
