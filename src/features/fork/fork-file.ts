import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'

// A recorded fork: a file of lines of JSON, in one order, so that a repository shows what has changed. The first line has the
// network; each other one something of an account, as its hub would list it.

const FORMAT = 'rookery-fork-1'
/** Larger files belong in no repository, and are held in memory while a network runs. */
const MAX_FILE_MIB = 64
const MAX_FILE_BYTES = MAX_FILE_MIB * 1024 * 1024

/** What a file has of an account, in its order. */
export const RECORDED_LISTS = [
  'chainEvents',
  'names',
  'userData',
  'verifications',
  'links',
  'casts',
  'reactions',
] as const
export type RecordedList = (typeof RECORDED_LISTS)[number]

export type RecordedItem = {
  readonly fid: number
  readonly list: RecordedList
  readonly item: Readonly<Record<string, unknown>>
}

/** The file is no recorded fork, or cannot be one; the message says what to do. */
export class ForkFileError extends Error {}

export type ForkFile = { readonly network: string; readonly items: readonly RecordedItem[] }

/** Reads a file whole. */
export async function readForkFile(path: string): Promise<ForkFile> {
  const found = await stat(path).catch((error: Error) => {
    throw new ForkFileError(`${path} is not readable (${error.message})`)
  })
  if (!found.isFile()) {
    throw new ForkFileError(`${path} is no file: give --fork the path of a recorded fork`)
  }
  const { size } = found
  if (size > MAX_FILE_BYTES) {
    throw new ForkFileError(`${path} has more than ${MAX_FILE_MIB} MiB: record fewer accounts`)
  }
  const items: RecordedItem[] = []
  let network: string | undefined
  let number = 0
  for await (const text of createInterface({ input: createReadStream(path) })) {
    number++
    const line = lineOf(text)
    if (network === undefined) {
      if (line?.format !== FORMAT || typeof line.network !== 'string') {
        throw new ForkFileError(
          `${path} is no recorded fork of this version: make one with rookery dev record-fork`,
        )
      }
      network = line.network
    } else if (isItem(line)) items.push(line)
    else throw new ForkFileError(`${path}: line ${number} is not readable: record the fork again`)
  }
  if (network === undefined) throw new ForkFileError(`${path} is empty`)
  return { network, items }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of a file, looked into field by field
function lineOf(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isItem = (line: Partial<RecordedItem> | undefined): line is RecordedItem =>
  Number.isSafeInteger(line?.fid) &&
  RECORDED_LISTS.includes(line!.list!) &&
  typeof line!.item === 'object' &&
  line!.item !== null

/** What a fork answers of the account after a fid. */
export type RecordedAccount = {
  readonly network: string
  /** Undefined after the last account. */
  readonly fid?: number
  readonly items: Omit<RecordedItem, 'fid'>[]
}

export type Recorded = { readonly accounts: number; readonly items: number }

/** Writes what a fork keeps of its source. An earlier file is replaced at the end. */
export async function writeForkFile(
  path: string,
  accountAfter: (fid: number) => Promise<RecordedAccount>,
): Promise<Recorded> {
  const fails = (error: Error): never => {
    throw new ForkFileError(
      `${path} cannot be written (${error.message}): name a file in a folder that is there and may be written to`,
    )
  }
  const file = await open(`${path}.new`, 'w').catch(fails)
  let accounts = 0
  let items = 0
  let bytes = 0
  const put = async (line: object): Promise<void> => {
    const text = `${JSON.stringify(line)}\n`
    bytes += Buffer.byteLength(text)
    if (bytes > MAX_FILE_BYTES) {
      throw new ForkFileError(
        `this fork keeps more than the ${MAX_FILE_MIB} MiB that a file may have: begin a new fork and read fewer accounts`,
      )
    }
    await file.appendFile(text).catch(fails)
  }
  try {
    let account = await accountAfter(0)
    await put({ format: FORMAT, network: account.network })
    for (; account.fid !== undefined; account = await accountAfter(account.fid)) {
      accounts++
      items += account.items.length
      for (const { list, item } of account.items) await put({ fid: account.fid, list, item })
    }
    await file.close()
    await rename(`${path}.new`, path).catch(fails)
    return { accounts, items }
  } catch (error) {
    await file.close()
    await rm(`${path}.new`, { force: true })
    throw error
  }
}
