import type { SealedRows } from '../../kernel/storage/sealed-rows.ts'
import { type AppSigner, appSignerRows } from './tables/app-signers.ts'

/** What the sealed secret of a signer is bound to. */
export const signerOwner = ({ uuid, public_key }: Pick<AppSigner, 'uuid' | 'public_key'>) => [
  Buffer.from(uuid),
  public_key,
]

/** Signers whose secret the server keeps. Without it they are revoked. */
export const sealedSigners: SealedRows = {
  async read({ of }, after, limit) {
    const signers = await of(appSignerRows).sealed(after, limit)
    return signers.map((one) => ({ id: one.uuid, secret: one.secret!, owner: signerOwner(one) }))
  },
  giveUp: (storage, ids) =>
    storage.write('hub', async (tx) => {
      const signers = await tx.of(appSignerRows).byUuids(ids)
      const revoked = signers.map((one) => ({ ...one, status: 'revoked', secret: null }) as const)
      await tx.of(appSignerRows).put(revoked)
    }),
}
