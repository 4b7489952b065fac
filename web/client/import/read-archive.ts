import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'

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
  }
  readonly kept: readonly KeptRow[]
  /** Serialised messages in base64. */
  readonly signed: readonly string[]
}

const FORMAT = 1
const NO_ARCHIVE = 'This is no zip of “Download my data”.'

/** Throws an Error that says what is wrong with the file. */
export async function readArchive(file: Blob): Promise<Archive> {
  const zip = new ZipReader(new BlobReader(file), { useWebWorkers: false })
  try {
    const entries = await zip.getEntries().catch(() => {
      throw new Error(`${NO_ARCHIVE} It cannot be unpacked: download it once more.`)
    })
    const files = new Map(
      entries.flatMap((entry) => (entry.directory ? [] : [[entry.filename, entry] as const])),
    )
    const data = parse(await textOf(files.get('data.json'), MAX_DATA_BYTES))
    const signed = await textOf(files.get('signed-messages.txt'), MAX_SIGNED_BYTES)
    return { ...data, signed: signed.split('\n').filter((line) => line !== '') }
  } finally {
    await zip.close()
  }
}

async function textOf(entry: FileEntry | undefined, maxBytes: number): Promise<string> {
  if (!entry) throw new Error(NO_ARCHIVE)
  const tooLarge = () =>
    new Error(
      `${entry.filename} is larger than ${maxBytes / 1024 / 1024} MiB: too much for a browser to read.`,
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

function parse(text: string): Omit<Archive, 'signed'> {
  let data: Partial<Archive> & { readonly format?: number }
  try {
    data = JSON.parse(text)
  } catch {
    throw new Error(`${NO_ARCHIVE} Its data.json cannot be read.`)
  }
  if (data.format !== FORMAT) {
    throw new Error(`Its format is ${data.format}, and this server reads format ${FORMAT}.`)
  }
  const { account, kept, server, madeAt } = data
  if (typeof account?.fid !== 'number' || !Array.isArray(kept)) throw new Error(NO_ARCHIVE)
  return { account, kept, server: String(server), madeAt: String(madeAt) }
}
