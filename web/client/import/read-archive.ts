import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import { t } from '../../shared/messages.ts'

// What the zip of “Download my data” has that another Rookery can take (docs/archive.md). It is read here: the server gets only what is
// brought to it, item by item.

/** Read into memory as a whole, so a browser on a phone has room for it: about 100,000 posts. */
const MAX_DATA_BYTES = 64 * 1024 * 1024
/** About 500,000 messages, in base64. */
const MAX_SIGNED_BYTES = 192 * 1024 * 1024

export type KeptRow = {
  readonly table: string
  readonly row: Readonly<Record<string, string | number | boolean | null>>
}
export type Archive = {
  readonly server: string
  readonly madeAt: string
  readonly account: {
    readonly fid: number
    readonly username?: string
    readonly displayName?: string
    readonly custodyAddress?: string
  }
  readonly kept: readonly KeptRow[]
  /** Serialised messages in base64. */
  readonly signed: readonly string[]
}

const DATA = 'data.json'
const SIGNED = 'signed-messages.txt'
const WANTED = [DATA, SIGNED]
/** More than any archive has: a file for each picture and page. */
const MAX_ENTRIES = 200_000
const FORMAT = 1
const NO_ARCHIVE = t('This is no zip of “Download my data”.')

/** Throws an Error that says what is wrong with the file. */
export async function readArchive(file: Blob): Promise<Archive> {
  const zip = new ZipReader(new BlobReader(file), { useWebWorkers: false })
  try {
    const files = await filesOf(zip)
    const data = parseData(await textOf(files.get(DATA), MAX_DATA_BYTES))
    const signed = await textOf(files.get(SIGNED), MAX_SIGNED_BYTES)
    return { ...data, signed: signed.split('\n').filter((line) => line !== '') }
  } finally {
    await zip.close()
  }
}

/** The files that are read; what else a zip lists is not kept. */
async function filesOf(zip: ZipReader<unknown>): Promise<Map<string, FileEntry>> {
  const files = new Map<string, FileEntry>()
  let seen = 0
  try {
    for await (const entry of zip.getEntriesGenerator()) {
      if (!entry.directory && WANTED.includes(entry.filename)) files.set(entry.filename, entry)
      if (files.size === WANTED.length || ++seen >= MAX_ENTRIES) break
    }
  } catch {
    throw new Error(
      t('{noArchive} It cannot be unpacked: download it once more.', { noArchive: NO_ARCHIVE }),
    )
  }
  return files
}

async function textOf(entry: FileEntry | undefined, maxBytes: number): Promise<string> {
  if (!entry) throw new Error(NO_ARCHIVE)
  const tooLarge = () =>
    new Error(
      t('{filename} is larger than {maxBytes} MiB: too much for a browser to read.', {
        filename: entry.filename,
        maxBytes: maxBytes / 1024 / 1024,
      }),
    )
  if (entry.uncompressedSize > maxBytes) throw tooLarge()
  // What the file says of its own size need not be true.
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  const output = new WritableStream<Uint8Array>({
    write(chunk) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge()
      text += decoder.decode(chunk, { stream: true })
    },
  })
  await entry.getData(output, { useWebWorkers: false, checkSignature: true })
  return text + decoder.decode()
}

/** What data.json says, of which nothing is sure. Throws an Error that says what is wrong. */
export function parseData(text: string): Omit<Archive, 'signed'> {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    throw new Error(t('{noArchive} Its data.json cannot be read.', { noArchive: NO_ARCHIVE }))
  }
  const { format, account, kept, server, madeAt } = (data ?? {}) as Record<string, unknown>
  if (format !== FORMAT) {
    const found = typeof format === 'number' ? format : 'none'
    throw new Error(
      t('Its format is {found}, and this server reads format {format}.', { found, format: FORMAT }),
    )
  }
  const { fid, username, displayName, custodyAddress } = (account ?? {}) as Record<string, unknown>
  if (!Number.isSafeInteger(fid) || !Array.isArray(kept)) throw new Error(NO_ARCHIVE)
  return {
    account: {
      fid: fid as number,
      ...(typeof username === 'string' && { username }),
      ...(typeof displayName === 'string' && { displayName }),
      ...(typeof custodyAddress === 'string' && { custodyAddress }),
    },
    kept: kept.filter(isRow),
    server: typeof server === 'string' ? server : '',
    madeAt: typeof madeAt === 'string' ? madeAt : '',
  }
}

const isRow = (one: unknown): one is KeptRow => {
  const { table, row } = (one ?? {}) as Record<string, unknown>
  return (
    typeof table === 'string' &&
    typeof row === 'object' &&
    row !== null &&
    Object.values(row).every((value) => value === null || typeof value !== 'object')
  )
}
