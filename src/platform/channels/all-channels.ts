import { Buffer } from 'node:buffer'
import { sharedRuns } from '../../shared-runs.ts'
import type { Storage } from '../../storage/storage.ts'
import { readVersions } from './context.ts'
import { channelJson } from './schemas.ts'

/** The list of all channels as response bytes. */
export type AllChannels = { readonly etag: string; readonly body: Uint8Array }

/** Channels read by one query. */
const PORTION = 1_000

/**
 * Creates the reader of the list of all channels. It caches the JSON of each channel and reads only what changed.
 * While nothing changed, it reads one row. Concurrent calls share one read.
 */
export function allChannelsReader(storage: Storage): () => Promise<AllChannels> {
  const texts = new Map<string, { readonly createdAt: number; readonly text: string }>()
  let seen = { first: -1, newest: 0 }
  let list: AllChannels

  return sharedRuns(async () => {
    const versions = await readVersions(storage)
    if (versions.first === seen.first && versions.newest === seen.newest) return list
    // The first version changes when the store was emptied.
    const startsAnew = versions.first !== seen.first
    if (startsAnew) texts.clear()
    await readChanges(startsAnew ? 0 : seen.newest)
    seen = versions
    list = { etag: `W/"${versions.first}-${versions.newest}"`, body: writeOut() }
    return list
  })

  async function readChanges(afterVersion: number): Promise<void> {
    for (let version = afterVersion + 1, id = ''; ; ) {
      const rows = await storage.channels.changedAfter(version, id, PORTION)
      for (const row of rows) {
        const text = JSON.stringify(channelJson(row))
        texts.set(row.id, { createdAt: row.created_at, text })
      }
      if (rows.length < PORTION) return
      ;({ version, id } = rows.at(-1)!)
    }
  }

  /** By (createdAt, id). */
  function writeOut(): Uint8Array {
    const rows = [...texts]
      .sort(([a, one], [b, other]) => one.createdAt - other.createdAt || (a < b ? -1 : 1))
      .map(([, { text }]) => text)
    return Buffer.from(`{"result":{"channels":[${rows.join(',')}]}}`)
  }
}
