import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota, type QuotaTerms } from '../../kernel/limits/quota.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Reader, Storage } from '../../kernel/storage/storage.ts'
import { mediaRows } from './tables/media.ts'

/** Has the pictures of the server itself; no account has it. */
export const OPERATOR_FID = 0
const NAME = 'media uploads'
const WINDOW_MS = 3_600_000
/** Uploads of one fid in an hour: a cast a minute with a picture, and their bytes before they are encoded again. */
const MAX_UPLOADS = 60
const MAX_UPLOADED_BYTES = 200 * 1024 * 1024
const MB = 1_000_000

export type MediaLimits = {
  readonly bytesPerFid: number
  readonly maxBytes: number
}

const TERMS: QuotaTerms = {
  windowMs: WINDOW_MS,
  max: MAX_UPLOADS,
  maxAmount: MAX_UPLOADED_BYTES,
}

type Counting = {
  readonly storage: Storage
  readonly limits: () => Promise<MediaLimits>
  readonly nowMs: () => number
}
type Counted = { readonly fid: number; readonly bytes: number }

/**
 * Counts an upload of so many bytes before any work is done for it, and gives it back when this server is not able to do the
 * work. Throws a Rejection when it is too much.
 */
export async function countUpload<T>(
  { storage, limits, nowMs }: Counting,
  upload: Counted,
  work: () => Promise<T>,
): Promise<T> {
  await consumeUpload(storage, await limits(), upload, nowMs())
  try {
    return await work()
  } catch (error) {
    const isFaultOfServer = error instanceof Rejection && error.code.startsWith('unavailable')
    if (isFaultOfServer) await giveBack(storage, upload, nowMs())
    throw error
  }
}

const consumeUpload = (
  storage: Storage,
  limits: MediaLimits,
  { fid, bytes }: Counted,
  now: number,
): Promise<void> =>
  storage.write(`fid/${fid}`, async (tx) => {
    await checkRoom(tx, limits, { fid, bytes: 0 })
    const quota = new Quota(NAME, await tx.quotas.used(NAME, [String(fid)]))
    const exceeded = quota.tryConsume(String(fid), TERMS, now, bytes)
    if (exceeded) {
      const text = `too many uploads: ${MAX_UPLOADS} or ${MAX_UPLOADED_BYTES} bytes an hour`
      throw refusalOf(exceeded, text)
    }
    await tx.quotas.put(quota.changed)
  })

const giveBack = (storage: Storage, { fid, bytes }: Counted, now: number): Promise<void> =>
  storage.write(`fid/${fid}`, async (tx) => {
    const quota = new Quota(NAME, await tx.quotas.used(NAME, [String(fid)]))
    quota.giveBack(String(fid), TERMS, now, bytes)
    await tx.quotas.put(quota.changed)
  })

/** Throws a Rejection unless so many bytes of a fid may be kept besides those that are. */
export async function checkRoom(
  { of }: Pick<Reader, 'of'>,
  { bytesPerFid, maxBytes }: MediaLimits,
  { fid, bytes }: { readonly fid: number; readonly bytes: number },
): Promise<void> {
  // The quota is of members: pictures of the server itself are taken also where members may upload none.
  const isFull = async () => (await of(mediaRows).bytesOf(fid)) + bytes > bytesPerFid
  if (fid !== OPERATOR_FID && (bytesPerFid === 0 || (await isFull()))) {
    const text =
      bytesPerFid === 0
        ? 'this server takes no pictures'
        : `fid ${fid} may keep ${bytesPerFid / MB} MB of pictures and videos; remove casts with some first`
    throw new Rejection('bad_request.no_storage', text, { field: 'body' })
  }
  if ((await of(mediaRows).totals()).bytes + bytes <= maxBytes) return
  throw new Rejection('unavailable.overloaded', 'this server has no room for more pictures')
}
