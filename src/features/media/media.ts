import { createHash, randomBytes } from 'node:crypto'
import { Semaphore, type SemaphoreLimits } from '../../kernel/base/concurrency.ts'
import type { Rendered } from '../../kernel/base/pictures/render.ts'
import type { Renderer } from '../../kernel/base/pictures/renderer.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { UPLOADS_SHARE } from '../../kernel/storage/disk-use.ts'
import type { Locks } from '../../kernel/storage/locks.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { fileName, hashAt, isNameOf, MEDIA_PATH, parseFileName } from './addresses.ts'
import type { KeptBytes } from './kept-bytes.ts'
import { type Looked, lookForLost } from './lost-files.ts'
import type { MediaMetrics } from './metrics.ts'
import { MAX_PICTURE_BYTES, type Prepared, prepare, preparePoster } from './prepare.ts'
import { checkRoom, countUpload, type MediaLimits, OPERATOR_FID } from './quota.ts'
import type { MediaSize, MediaUpload, StoredMedia } from './tables/media.ts'
import { mediaRows } from './tables/media.ts'

/** Characters of a description. */
export const MAX_ALT_CHARACTERS = 1_000

export type MediaOptions = {
  readonly storage: Storage
  readonly kept: KeptBytes
  readonly renderer: Renderer
  readonly metrics: MediaMetrics
  /** How much of its quota the disk with the files uses; undefined when they are kept elsewhere. */
  readonly diskUse?: Storage['diskUse'] | undefined
  /** As they are now. */
  readonly limits: () => Promise<MediaLimits & { readonly maxVideoBytes: number }>
  /** Bytes of the largest video that `limits` may ever allow. */
  readonly mostVideoBytes: number
  /** The address of the front door, without a slash at its end. */
  readonly publicUrl: () => string
  readonly nowMs: () => number
}

export type NewUpload = {
  readonly fid: number
  readonly bytes: Uint8Array
  readonly alt: string
  /** Charges the client for work, in bytes of an answer. */
  readonly consume: (bytes: number) => void
}

/** A file as its uploader gets it told. */
export type Uploaded = {
  readonly url: string
  readonly smallUrl: string | undefined
  readonly type: string
  readonly bytes: number
  readonly width: number
  readonly height: number
  /** Of a video; 0 when it is not known. */
  readonly durationMs: number
  readonly alt: string
  readonly sensitive: boolean
  /** Warnings for the person who uploads, one sentence each. */
  readonly warnings: readonly string[]
}

/** What an account says about a file; what is left out stays as it is. */
export type FileWords = {
  readonly alt?: string | undefined
  readonly sensitive?: boolean | undefined
}

/** A file that may be shown to everybody. */
export type PublishedFile = {
  readonly type: string
  readonly object: string
  readonly size: MediaSize
  readonly length: number
}

export type ExportedFile = Uploaded & {
  /** Unix seconds. */
  readonly uploadedAt: number
  /** Bytes of the file. */
  readonly length: number
  /** Reads them in parts; undefined when they are lost. */
  readonly data: (() => AsyncGenerator<Uint8Array>) | undefined
  /** After which the next file comes; undefined when this is the last one. */
  readonly next: Uint8Array | undefined
}

/** What is noted of a small picture. */
type Small = Pick<StoredMedia, 'small_type' | 'small_bytes' | 'thumbhash'>

const smallOf = (small: Rendered | undefined): Small => ({
  small_type: small?.type ?? null,
  small_bytes: small?.bytes.length ?? 0,
  thumbhash: small?.thumbhash ?? null,
})

/** Random names cannot be guessed and do not repeat. */
const OBJECT_BYTES = 16
/** Rows that one read takes. */
const BATCH = 100
/** Uploads in one process. Those in work hold their bytes and what is made of them, those that wait their bytes. */
const LIMITS: SemaphoreLimits = {
  running: 3,
  runningPerClient: 2,
  queue: {
    waiting: 9,
    waitingPerClient: 4,
    timeoutMs: 15_000,
    clientError: () =>
      new Rejection('rate_limited', 'too many uploads at once: wait for the others'),
    busyError: () =>
      new Rejection('unavailable.overloaded', 'too many pictures are being uploaded; try again'),
  },
}
/** An element of a video takes about a microsecond. */
const CHARGED_BYTES_PER_ELEMENT = 50

/** Pictures and videos that users upload. */
export class Media {
  readonly #options: MediaOptions
  readonly #turns = new Semaphore(LIMITS)

  /** The hash of the file at an address, whatever the host. */
  readonly hashAt = hashAt

  constructor(options: MediaOptions) {
    this.#options = options
  }

  /** Bytes of the largest upload. */
  get maxBytes(): number {
    return Math.max(MAX_PICTURE_BYTES, this.#options.mostVideoBytes)
  }

  readonly maxPictureBytes = MAX_PICTURE_BYTES

  /** Checks, encodes and keeps a file. Throws a Rejection for what is refused. */
  async upload(upload: NewUpload): Promise<Uploaded> {
    const { metrics } = this.#options
    try {
      const uploaded = await this.#turns.run(String(upload.fid), () => this.#upload(upload))
      metrics.uploaded('stored')
      return uploaded
    } catch (error) {
      metrics.uploaded(error instanceof Rejection ? 'refused' : 'failed')
      throw error
    }
  }

  async #upload(upload: NewUpload): Promise<Uploaded> {
    const { fid, bytes } = upload
    await this.#checkDisk()
    return countUpload(this.#options, { fid, bytes: bytes.length }, () => this.#keep(upload))
  }

  async #keep({ fid, bytes, alt: written, consume }: NewUpload): Promise<Uploaded> {
    const { renderer } = this.#options
    const limits = await this.#options.limits()
    const alt = written.trim()
    const prepared = await prepare(bytes, {
      renderer,
      maxVideoBytes: limits.maxVideoBytes,
      consume,
      chargeElements: (elements) => consume(elements * CHARGED_BYTES_PER_ELEMENT),
      client: `fid ${fid}`,
    })
    const { large, small, width, height, durationMs, warnings } = prepared
    const media: StoredMedia = {
      hash: createHash('sha256').update(large.bytes).digest(),
      object: randomBytes(OBJECT_BYTES).toString('hex'),
      type: large.type,
      ...smallOf(small),
      width,
      height,
      large_bytes: large.bytes.length,
      duration_ms: durationMs,
    }
    const known = await this.#addUpload(media, { fid, alt }, 'known')
    if (known) {
      await this.#mend(known, prepared)
      const kept = await this.#withoutLostPoster(fid, known)
      const told = known.wasDescribed ? [...warnings, WORDS_OF_FILE] : warnings
      return { ...this.#described({ ...known, ...kept }), warnings: told }
    }
    await this.#put(media, prepared)
    await this.#addUpload(media, { fid, alt }, 'new')
    return { ...this.#described({ ...media, alt, sensitive: 0 }), warnings }
  }

  /**
   * Keeps a picture that stands for a video until it is played. Only who alone has uploaded the video chooses it, and once:
   * afterwards, or when others have uploaded the same, the file stays as it is.
   */
  async uploadPoster(upload: Omit<NewUpload, 'alt'> & { readonly url: string }): Promise<Uploaded> {
    const { fid } = upload
    return this.#turns.run(String(fid), async () => {
      const { storage, renderer, kept } = this.#options
      const limits = await this.#options.limits()
      const { media, own } = await this.#ownFile(fid, upload.url)
      if (!media.type.startsWith('video/')) {
        const text = 'only a video has a picture that stands for it'
        throw new Rejection('bad_request.validation_failure', text, { field: 'url' })
      }
      const { uploadCount } = storage.of(mediaRows)
      if ((await this.#hasSmall(media)) || (await uploadCount(media.hash)) > 1)
        return this.#described({ ...media, ...own })
      const { bytes, consume } = upload
      await this.#checkDisk()
      const poster = await countUpload(this.#options, { fid, bytes: bytes.length }, () =>
        preparePoster(bytes, { renderer, consume, client: `fid ${fid}` }),
      )
      const small = smallOf(poster)
      await checkRoom(storage, limits, { fid, bytes: small.small_bytes - media.small_bytes })
      await kept.put(media.object, 'small', poster)
      try {
        return this.#described({ ...own, ...(await this.#setSmall(fid, media, small)) })
      } finally {
        await this.#discardRemoved(media)
      }
    })
  }

  /** Whether a file has a small picture whose bytes are there. */
  async #hasSmall({ object, small_type, small_bytes }: StoredMedia): Promise<boolean> {
    return small_type !== null && (await this.#options.kept.length(object, 'small')) === small_bytes
  }

  /** Notes which picture stands for a video of an account. */
  async #setSmall(fid: number, { hash, object }: StoredMedia, small: Small): Promise<StoredMedia> {
    const { storage } = this.#options
    const limits = await this.#options.limits()
    return storage.write([`fid/${fid}`, 'all/media'], async (tx) => {
      const rows = tx.of(mediaRows)
      const [media, upload] = [await rows.find(hash), await rows.upload(hash, fid)]
      if (media?.object !== object || !upload) throw noUpload(fid)
      const added = small.small_bytes - media.small_bytes
      if (added > 0) await checkRoom(tx, limits, { fid, bytes: added })
      await rows.setSmall(media, small)
      await rows.putUpload({ ...upload, bytes: media.large_bytes + small.small_bytes })
      return { ...media, ...small }
    })
  }

  /** A video whose picture is lost has none, so that it can be set again: no upload of the video brings it back. */
  async #withoutLostPoster(fid: number, media: StoredMedia): Promise<StoredMedia> {
    const isVideo = media.type.startsWith('video/')
    if (!isVideo || media.small_type === null || (await this.#hasSmall(media))) return media
    return this.#setSmall(fid, media, smallOf(undefined))
  }

  /** A file with what an account that uploaded it says about it. Throws a Rejection for others. */
  async #ownFile(fid: number, url: string): Promise<{ media: StoredMedia; own: MediaUpload }> {
    const hash = hashAt(url)
    const { find, upload } = this.#options.storage.of(mediaRows)
    const [media, own] = hash ? [await find(hash), await upload(hash, fid)] : []
    if (!media || !own) throw noUpload(fid)
    return { media, own }
  }

  /** Files give way to words: they are refused before the disk quota is used up. */
  async #checkDisk(): Promise<void> {
    const { diskUse } = this.#options
    if (!diskUse || (await diskUse()).share < UPLOADS_SHARE) return
    throw new Rejection(
      'unavailable.storage_full',
      'the disk quota of this server is nearly used up: it takes no more pictures and videos until the operator makes room',
    )
  }

  /** Writes the bytes of a known file again that somebody else has removed, such as a rule of a bucket. */
  async #mend(media: StoredMedia, { large, small }: Prepared): Promise<void> {
    const { kept } = this.#options
    const { object, large_bytes, small_bytes } = media
    const files = { large: [large, large_bytes], small: [small, small_bytes] } as const
    for (const size of ['large', 'small'] as const) {
      const [file, length] = files[size]
      // An earlier version may have made another small one.
      if (!file || file.bytes.length !== length || (await kept.length(object, size)) === length)
        continue
      await kept.put(object, size, file)
    }
    await this.#discardRemoved(media)
  }

  /** Removes what was written of a file that was removed meanwhile. */
  async #discardRemoved({ hash, object }: StoredMedia): Promise<void> {
    const media = await this.#options.storage.of(mediaRows).find(hash)
    if (media?.object !== object) await this.#discard(object)
  }

  /** Writes the bytes of an object that is garbage until a file has it. */
  async #put({ object }: StoredMedia, { large, small }: Prepared): Promise<void> {
    const { storage, kept } = this.#options
    await storage.write('all/media', (tx) =>
      tx.of(mediaRows).putGarbage({ object, since: this.#now() }),
    )
    await kept.put(object, 'large', large)
    if (small) await kept.put(object, 'small', small)
  }

  /**
   * Notes who uploaded a file. Returns it when it is kept: a new one is, a known one if it was before. What the account has said
   * about it stays unless it says something else.
   */
  async #addUpload(
    media: StoredMedia,
    { fid, alt }: { readonly fid: number; readonly alt: string },
    which: 'known' | 'new',
  ): Promise<(StoredMedia & MediaUpload & { readonly wasDescribed: boolean }) | undefined> {
    const { storage } = this.#options
    const limits = await this.#options.limits()
    const { hash, object } = media
    return storage.write([`fid/${fid}`, 'all/media'], async (tx) => {
      const kept = await tx.of(mediaRows).find(hash)
      const { large_bytes, small_bytes } = kept ?? media
      const bytes = large_bytes + small_bytes
      const before = await tx.of(mediaRows).upload(hash, fid)
      if (!before) await checkRoom(tx, limits, { fid, bytes })
      if (!kept && which === 'known') return undefined
      if (!kept) {
        await tx.of(mediaRows).add(media)
        await tx.of(mediaRows).removeGarbage(object)
      }
      const now = this.#now()
      const { alt: said = '', sensitive = 0 } = before ?? {}
      const times = { created_at: now, checked_at: now }
      const upload: MediaUpload = { hash, fid, alt: alt || said, sensitive, bytes, ...times }
      await tx.of(mediaRows).putUpload(upload)
      return { ...(kept ?? media), ...upload, wasDescribed: said !== '' || sensitive === 1 }
    })
  }

  /** Changes what an account says about a file that it uploaded. */
  async describe(fid: number, url: string, words: FileWords): Promise<Uploaded> {
    const hash = hashAt(url)
    const found =
      hash &&
      (await this.#options.storage.write([`fid/${fid}`, 'all/media'], async (tx) => {
        const [upload, media] = [
          await tx.of(mediaRows).upload(hash, fid),
          await tx.of(mediaRows).find(hash),
        ]
        if (!upload || !media) return undefined
        const { alt = upload.alt, sensitive = upload.sensitive === 1 } = words
        const described: MediaUpload = { ...upload, alt: alt.trim(), sensitive: sensitive ? 1 : 0 }
        await tx.of(mediaRows).putUpload(described)
        return { ...media, ...described }
      }))
    if (found) return this.#described(found)
    throw noUpload(fid)
  }

  /** The file of a name in an address; undefined when there is none, or when moderation hides it. */
  async find(name: string): Promise<PublishedFile | undefined> {
    const parsed = parseFileName(name)
    const media = parsed && (await this.#options.storage.of(mediaRows).published(parsed.hash))
    if (!media || !isNameOf(media, parsed.size, name)) return undefined
    const { object, type, small_type, large_bytes, small_bytes } = media
    return parsed.size === 'large'
      ? { object, size: 'large', type, length: large_bytes }
      : { object, size: 'small', type: small_type!, length: small_bytes }
  }

  /** Bytes of a file in parts. Throws a Rejection when it was removed meanwhile. */
  async *read(
    { object, size, length }: PublishedFile,
    from = 0,
    to = length,
  ): AsyncGenerator<Uint8Array> {
    let readBytes = 0
    for await (const part of this.#options.kept.read(object, size, from, to)) {
      readBytes += part.length
      yield part
    }
    if (readBytes < to - from) throw new Rejection('not_found', 'the file was removed')
  }

  /**
   * Keeps a picture for the operator and answers its path: the address may change with that of the server. It counts as an
   * upload of fid 0, which no account has.
   */
  async uploadForServer({ bytes, consume }: Pick<NewUpload, 'bytes' | 'consume'>): Promise<string> {
    const { url, type } = await this.upload({ fid: OPERATOR_FID, bytes, alt: '', consume })
    if (type.startsWith('image/')) return new URL(url).pathname
    throw new Rejection('bad_request.validation_failure', 'a server has a picture, not a video', {
      field: 'body',
    })
  }

  /** The address of a file of this server by its path. */
  urlOf(path: string): string {
    return this.#options.publicUrl() + path
  }

  /** Whether it is an address of a file of this server. */
  isOwn(url: URL): boolean {
    return url.href.startsWith(`${this.#options.publicUrl()}${MEDIA_PATH}`)
  }

  /** The hash of the file at an address of this server. */
  hashOfOwn(text: string): Uint8Array | undefined {
    if (!URL.canParse(text) || !this.isOwn(new URL(text))) return undefined
    const { origin, pathname } = new URL(text)
    return parseFileName((origin + pathname).slice(this.urlOf(MEDIA_PATH).length))?.hash
  }

  /** The file at an address of this server, if it has no more than `maxBytes`. It is read once `acquire` resolves. */
  async fileAt(
    url: URL,
    { maxBytes, acquire }: { maxBytes: number; acquire: (bytes: number) => Promise<void> },
  ): Promise<{ type: string; bytes: Uint8Array } | undefined> {
    const found = await this.find(url.pathname.slice(url.pathname.lastIndexOf('/') + 1))
    if (!found || found.length > maxBytes) return undefined
    await acquire(found.length)
    return { type: found.type, bytes: Buffer.concat(await Array.fromAsync(this.read(found))) }
  }

  /** Some of the accounts that uploaded the file at an address, by fid; 0 is the operator. */
  async uploadersOf(url: string): Promise<number[]> {
    const hash = hashAt(url)
    return hash ? this.#options.storage.of(mediaRows).uploadersOf(hash, BATCH) : []
  }

  /**
   * Removes a file for all who have uploaded it, and its bytes. Returns their fids. `record` runs in each transaction that
   * removes uploads, with their fids, under the lock of the hub too.
   */
  async removeFile(
    url: string,
    record: (tx: Writer, fids: readonly number[]) => Promise<void>,
  ): Promise<number[]> {
    const hash = hashAt(url)
    const removed: number[] = []
    for (let fids: number[] = []; hash; removed.push(...fids)) {
      fids = await this.#remove(hash, ['hub', 'all/media'], async (tx) => {
        const uploaders = await tx.of(mediaRows).uploadersOf(hash, BATCH)
        await record(tx, uploaders)
        return uploaders
      })
      if (fids.length === 0) break
    }
    if (removed.length > 0) return removed
    throw new Rejection('not_found', 'this server keeps no file at this url', { field: 'url' })
  }

  /** Removes all uploads of an account, and their bytes. */
  async erase(fid: number): Promise<void> {
    // Also what a run before this one had no answer about.
    await this.collect(0)
    for (;;) {
      const uploads = await this.#options.storage.of(mediaRows).uploadsOf(fid, undefined, BATCH)
      if (uploads.length === 0) return
      for (const { hash } of uploads) await this.remove(hash, fid)
    }
  }

  /**
   * Removes an upload, and its file with its bytes when nobody else has uploaded the same. Does nothing when `isUsed` says
   * that it is used, and returns whether it did something.
   */
  async remove(
    hash: Uint8Array,
    fid: number,
    isUsed?: (tx: Writer) => Promise<boolean>,
  ): Promise<boolean> {
    const removed = await this.#remove(hash, ['all/media', `fid/${fid}`], async (tx) =>
      (await isUsed?.(tx)) ? [] : [fid],
    )
    return removed.length > 0
  }

  /** Removes the uploads of the fids that `choose` returns, in its transaction. */
  async #remove(
    hash: Uint8Array,
    locks: Locks,
    choose: (tx: Writer) => Promise<number[]>,
  ): Promise<number[]> {
    const { fids, object } = await this.#options.storage.write(locks, async (tx) => {
      const fids = await choose(tx)
      await tx.of(mediaRows).removeUploads(hash, fids)
      const media = await tx.of(mediaRows).find(hash)
      if (!media || (await tx.of(mediaRows).uploadCount(hash)) > 0) return { fids }
      await tx.of(mediaRows).remove(media)
      await tx.of(mediaRows).putGarbage({ object: media.object, since: 0 })
      return { fids, object: media.object }
    })
    if (object !== undefined) await this.#discard(object)
    return fids
  }

  /** Removes the bytes of objects that are garbage since a time, in Unix seconds. */
  async collect(since: number): Promise<void> {
    for (;;) {
      const garbage = await this.#options.storage.of(mediaRows).garbage(since, BATCH)
      for (const { object } of garbage) await this.#discard(object)
      if (garbage.length < BATCH) return
    }
  }

  async #discard(object: string): Promise<void> {
    const { storage, kept } = this.#options
    await kept.remove(object)
    await storage.write('all/media', (tx) => tx.of(mediaRows).removeGarbage(object))
  }

  /** The file of an account, hidden or not, that comes after another; undefined after the last one. */
  async exportFile(fid: number, after: Uint8Array | undefined): Promise<ExportedFile | undefined> {
    const { storage, kept } = this.#options
    const [upload, next] = await storage.of(mediaRows).uploadsOf(fid, after, 2)
    const media = upload && (await storage.of(mediaRows).find(upload.hash))
    if (!media) return undefined
    const { object, type, large_bytes: length } = media
    const isWhole = (await kept.length(object, 'large')) === length
    return {
      ...this.#described({ ...media, ...upload }),
      uploadedAt: upload.created_at,
      length,
      data: isWhole ? () => this.read({ object, type, length, size: 'large' }) : undefined,
      next: next && upload.hash,
    }
  }

  /** Files whose bytes are lost, of those after one in the order of their hashes. */
  async lookForLost(after: Uint8Array | undefined): Promise<Looked & { files: number }> {
    const { storage, kept } = this.#options
    const { files } = await storage.of(mediaRows).totals()
    return { files, ...(await lookForLost(storage, kept, after)) }
  }

  #described(media: StoredMedia & Pick<MediaUpload, 'alt' | 'sensitive'>): Uploaded {
    const { type, width, height, duration_ms, alt, sensitive } = media
    const { large_bytes, small_bytes } = media
    const urlOf = (name: string) => `${this.#options.publicUrl()}${MEDIA_PATH}${name}`
    const small = fileName(media, 'small')
    return {
      url: urlOf(fileName(media, 'large')!),
      smallUrl: small && urlOf(small),
      ...{ type, width, height, durationMs: duration_ms, alt, bytes: large_bytes + small_bytes },
      sensitive: sensitive === 1,
      warnings: [],
    }
  }

  #now(): number {
    return Math.floor(this.#options.nowMs() / 1000)
  }
}

/** Of a file that its uploader has described before. */
const WORDS_OF_FILE =
  'You have uploaded this file before. Its description, and whether it is sensitive, are the same wherever you show it.'

const noUpload = (fid: number) =>
  new Rejection('not_found', `fid ${fid} has uploaded no file with this url`, { field: 'url' })

/** By which files are compared. */
export const mediaKey = (hash: Uint8Array): string => toHex(hash).slice(2)
