import type { Reader } from '../../kernel/storage/storage.ts'
import type { StoredTransfer } from './tables/name-transfers.ts'
import { nameTransferRows } from './tables/name-transfers.ts'

/** The log as a feed for followers: the transfers after an id, in id order. */
export function registryFeed({ of }: Pick<Reader, 'of'>) {
  return {
    async transfersAfter(id: number, limit: number) {
      return (await of(nameTransferRows).list({ afterId: id }, limit)).map(published)
    },
  }
}

const published = (row: StoredTransfer) => ({
  id: row.id,
  timestamp: row.timestamp,
  username: row.username,
  owner: row.owner,
  from: row.from_fid,
  to: row.to_fid,
  serverSignature: row.server_signature,
})
