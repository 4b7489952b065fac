import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

export type BackupFile = { readonly name: string; readonly bytes: number; readonly sha256: string }

/** Size and hash of a file of a backup. */
export async function describeFile(directory: string, name: string): Promise<BackupFile> {
  const path = join(directory, name)
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { name, bytes: (await stat(path)).size, sha256: hash.digest('hex') }
}
