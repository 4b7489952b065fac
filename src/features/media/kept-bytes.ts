import { PART_BYTES } from '../../kernel/http/parted-body.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { MediaSize } from './tables/media.ts'
import { mediaRows } from './tables/media.ts'

/** Where the bytes of files are, by the names of their objects: in the database, or in S3. */
export type KeptBytes = {
  put(object: string, size: MediaSize, file: { bytes: Uint8Array; type: string }): Promise<void>
  /**
   * The bytes from `from` to `to`, which is not included, in parts of at most PART_BYTES; fewer when the object was removed.
   * The next part is read when it is asked for.
   */
  read(object: string, size: MediaSize, from: number, to: number): AsyncGenerator<Uint8Array>
  /** How many bytes are there: others than this program may remove or change them. */
  length(object: string, size: MediaSize): Promise<number>
  /** Both sizes; what is not there is no fault. */
  remove(object: string): Promise<void>
  close(): void
}

/** Bytes in rows of PART_BYTES: part of backups, shared by all processes, and overwritten by an erasure. */
export const databaseBytes = (storage: Storage): KeptBytes => ({
  async put(object, size, { bytes }) {
    // A transaction each, so that other writers wait for one row only.
    for (let part = 0; part * PART_BYTES < bytes.length; part++) {
      const data = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
      await storage.write('all/media', (tx) =>
        tx.of(mediaRows).putPart({ object, size, part, data }),
      )
    }
  },
  async *read(object, size, from, to) {
    for (let at = from; at < to; ) {
      const part = Math.floor(at / PART_BYTES)
      const row = await storage.of(mediaRows).part(object, size, part)
      if (!row) return
      const start = part * PART_BYTES
      const bytes = row.data.subarray(at - start, to - start)
      if (bytes.length === 0) return
      yield bytes
      at += bytes.length
    }
  },
  length: (object, size) => storage.of(mediaRows).partBytes(object, size),
  async remove(object) {
    await storage.write('all/media', (tx) => tx.of(mediaRows).removeParts(object))
  },
  close: () => {},
})
