import { mapAtMost } from '../../kernel/base/concurrency.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { fileName, MEDIA_PATH } from './addresses.ts'
import type { KeptBytes } from './kept-bytes.ts'
import { openKeptBytes } from './open-kept-bytes.ts'
import type { S3Place } from './settings.ts'
import { mediaRows, type StoredMedia } from './tables/media.ts'

// Files of which the database knows and whose bytes are gone or have another length: a rule of a bucket removed them, or a
// backup was put back without its bucket.

/** Files of one look: an S3-compatible storage is asked twice for each. */
const PAGE = 200
/** Questions to the storage at once. */
const RUNNING = 8
/** Accounts that are named for a file. */
const MAX_FIDS = 10

export type LostFile = {
  /** Its path at the front door. */
  readonly path: string
  /** Bytes that it and its small picture have, and those that are there. */
  readonly bytes: number
  readonly found: number
  /** Some of the accounts that uploaded it; 0 is the operator. */
  readonly fids: number[]
}

export type Looked = {
  /** Files that were looked at. */
  readonly looked: number
  readonly lost: LostFile[]
  /** After which to go on; undefined when all were looked at. */
  readonly next: Uint8Array | undefined
}

/** Looks at the files after one, in the order of their hashes. */
export async function lookForLost(
  storage: Storage,
  kept: KeptBytes,
  after: Uint8Array | undefined,
): Promise<Looked> {
  const files = await storage.of(mediaRows).files(after, PAGE)
  const lost = await mapAtMost(files, RUNNING, (file) => lostFile(storage, kept, file))
  const next = files.length < PAGE ? undefined : files.at(-1)!.hash
  return { looked: files.length, lost: lost.filter((file) => file !== undefined), next }
}

async function lostFile(
  storage: Storage,
  kept: KeptBytes,
  file: StoredMedia,
): Promise<LostFile | undefined> {
  const { hash, object, large_bytes, small_bytes } = file
  const large = await kept.length(object, 'large')
  const small = small_bytes === 0 ? 0 : await kept.length(object, 'small')
  if (large === large_bytes && small === small_bytes) return undefined
  // It may have been removed meanwhile.
  const { find, uploadersOf } = storage.of(mediaRows)
  if ((await find(hash))?.object !== object) return undefined
  return {
    path: MEDIA_PATH + fileName(file, 'large')!,
    bytes: large_bytes + small_bytes,
    found: large + small,
    fids: await uploadersOf(hash, MAX_FIDS),
  }
}

export type FileCheck = {
  readonly looked: number
  readonly lost: number
  /** A sentence for each of the first MAX_EXAMPLES. */
  readonly examples: readonly string[]
  /** The error that ended the check before all files were looked at. */
  readonly fault: string | undefined
}

const MAX_EXAMPLES = 20

/** Looks at all files of a store that no server uses. */
export async function checkFiles(
  storage: Storage,
  config: { readonly mediaS3: S3Place | undefined },
): Promise<FileCheck> {
  const kept = await openKeptBytes(config, storage, () => {})
  const examples: string[] = []
  let [looked, lost] = [0, 0]
  try {
    for (let after: Uint8Array | undefined; ; ) {
      const page = await lookForLost(storage, kept, after)
      looked += page.looked
      lost += page.lost.length
      examples.push(...page.lost.slice(0, MAX_EXAMPLES - examples.length).map(sentenceOf))
      after = page.next
      if (!after) return { looked, lost, examples, fault: undefined }
    }
  } catch (error) {
    return { looked, lost, examples, fault: (error as Error).message }
  } finally {
    kept.close()
  }
}

const sentenceOf = ({ path, bytes, found, fids }: LostFile): string =>
  `${path} of ${fids.length === 0 ? 'nobody' : `fid ${fids.join(', ')}`} has ${found} of its ${bytes} bytes`
