import { open } from 'node:fs/promises'

/** Waits until a file or the entries of a directory are on the disk. */
export async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
