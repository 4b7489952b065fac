import { fromBinary } from '@bufbuild/protobuf'
import type { Job } from '../../kernel/jobs/job.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { DAY_SECONDS, HOUR_MS, networkTime } from '../../kernel/protocol/time.ts'
import { MessageDataSchema } from '../../kernel/protocol/wire/message_pb.js'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Reader, Storage } from '../../kernel/storage/storage.ts'
import { hashesIn, MEDIA_PATH } from './addresses.ts'
import { type Media, mediaKey } from './media.ts'
import type { MediaMetrics } from './metrics.ts'
import { mediaRows } from './tables/media.ts'

// Uploads that nothing uses are removed. A cast or the profile of the account that uploaded the file uses it, and so do any
// channel and the server itself: what others link to is not theirs to keep.

/** How long an upload may wait for the cast that it is for. */
const UNUSED_SECONDS = DAY_SECONDS
/** An account is looked at again after this time. */
const CHECK_SECONDS = 6 * 3_600
/** An object that has been written for longer belongs to an upload that failed. */
const WRITING_SECONDS = 3_600
/** Accounts of one run. */
const MAX_FIDS = 1_000
const PAGE = 500
/** Clients date messages: a cast that is stored now may be this much older. */
const LATE_SECONDS = 3_600

type Options = {
  readonly media: Media
  readonly storage: Storage
  readonly metrics: MediaMetrics
  readonly nowMs: () => number
  /** Addresses of pictures of channels and of the server that contain this text. */
  readonly picturesOfPlaces: (containing: string) => Promise<readonly string[]>
}

export const cleanUpJob = (options: Options): Job => ({
  name: 'media clean-up',
  scope: 'leader',
  everyMs: HOUR_MS,
  async run({ signal }) {
    const now = Math.floor(options.nowMs() / 1000)
    await options.media.collect(now - WRITING_SECONDS)
    const media = options.storage.of(mediaRows)
    const byPlaces = new Set((await options.picturesOfPlaces(MEDIA_PATH)).flatMap(hashesIn))
    for (const fid of await media.fidsToCheck(now - CHECK_SECONDS, MAX_FIDS)) {
      signal.throwIfAborted()
      await cleanUp(options, fid, byPlaces, now)
    }
  },
})

async function cleanUp(
  { media, storage, metrics, nowMs }: Options,
  fid: number,
  byPlaces: ReadonlySet<string>,
  now: number,
): Promise<void> {
  const since = networkTime(nowMs()) - LATE_SECONDS
  const used = await usedBy(storage, fid)
  for (let after: Uint8Array | undefined; ; ) {
    const uploads = await storage.of(mediaRows).uploadsOf(fid, after, PAGE)
    const unused = uploads.filter(
      ({ hash, created_at }) =>
        created_at <= now - UNUSED_SECONDS &&
        !used.has(mediaKey(hash)) &&
        !byPlaces.has(mediaKey(hash)),
    )
    for (const { hash } of unused) {
      // A cast may have come since its list was read.
      const isUsed = async (tx: Reader) => (await usedBy(tx, fid, since)).has(mediaKey(hash))
      if (await media.remove(hash, fid, isUsed)) metrics.collected(1)
    }
    await storage.write([`fid/${fid}`, 'all/media'], async (tx) => {
      const left = await tx.of(mediaRows).uploadsOf(fid, after, uploads.length)
      await tx.of(mediaRows).checked(left.map((one) => ({ ...one, checked_at: now })))
    })
    if (uploads.length < PAGE) return
    after = uploads.at(-1)!.hash
  }
}

const SETS = [MESSAGE_SETS.casts, MESSAGE_SETS.userData]

/** The hashes of files in the casts and the profile of an account; `from` leaves older messages out. */
async function usedBy(
  { messages }: Pick<Reader, 'messages'>,
  fid: number,
  from?: number,
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const store of SETS) {
    for (let token: Uint8Array | undefined; ; ) {
      const page = await messages.listByFid({ fid, store, from }, { size: PAGE, token })
      for (const hash of page.items.flatMap(hashesOf)) found.add(hash)
      token = page.next
      if (!token) break
    }
  }
  return found
}

function hashesOf({ data }: StoredMessage): string[] {
  const { body } = fromBinary(MessageDataSchema, data)
  if (body.case === 'userDataBody') return hashesIn(body.value.value)
  if (body.case !== 'castAddBody') return []
  const { text, embeds } = body.value
  const urls = embeds.flatMap(({ embed }) => (embed.case === 'url' ? [embed.value] : []))
  return [text, ...urls].flatMap(hashesIn)
}
