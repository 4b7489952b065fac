import type { Storage } from '../storage/storage.ts'
import type { MediaSize } from '../storage/tables/media/media.ts'

/** Where the bytes of files are, by the names of their objects: in the database, or in S3. */
export type KeptBytes = {
  put(object: string, size: MediaSize, file: { bytes: Uint8Array; type: string }): Promise<void>
  /** The bytes from `from` to `to`, which is not included; fewer when the object was removed. */
  get(object: string, size: MediaSize, from: number, to: number): Promise<Uint8Array>
  /** Both sizes; what is not there is no fault. */
  remove(object: string): Promise<void>
  close(): void
}

/** One row: a range of a video reads a few, and a row is in memory as a whole. */
const PART_BYTES = 256 * 1024

/** Bytes in rows: part of backups, shared by all processes, and overwritten by an erasure. */
export const databaseBytes = (storage: Storage): KeptBytes => ({
  async put(object, size, { bytes }) {
    // A transaction each, so that other writers wait for one row only.
    for (let part = 0; part * PART_BYTES < bytes.length; part++) {
      const data = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
      await storage.write('all/media', (tx) => tx.media.putPart({ object, size, part, data }))
    }
  },
  async get(object, size, from, to) {
    const parts: Uint8Array[] = []
    const first = Math.floor(from / PART_BYTES)
    for (let part = first; part * PART_BYTES < to; part++) {
      const row = await storage.media.part(object, size, part)
      if (!row) break
      parts.push(row.data)
    }
    const start = from - first * PART_BYTES
    return Buffer.concat(parts).subarray(start, start + to - from)
  },
  async remove(object) {
    await storage.write('all/media', (tx) => tx.media.removeParts(object))
  },
  close: () => {},
})
