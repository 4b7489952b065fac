import { closeSync, existsSync, openSync, readSync } from 'node:fs'

// Which rows may have changed since an earlier look, by the pages that SQLite has written to its write-ahead log meanwhile. The
// formats of the log and of pages are documented and stay as they are: https://www.sqlite.org/fileformat2.html

type RowidRange = readonly [first: bigint, last: bigint]
/** Of whichever table; in order, and apart from each other. */
export type RowidRanges = readonly RowidRange[]

const HEADER_BYTES = 32
const PAGE_SIZE_AT = 8
const SALTS_AT = 16
const FRAME_HEADER_BYTES = 24
/** Of the last frame of a transaction: how many pages the database has after it. 0 in the others. */
const FRAME_COMMIT_AT = 4
const FRAME_SALTS_AT = 8
const TABLE_LEAF = 13
const CELL_COUNT_AT = 3
const CELLS_AT = 8
/** Frames that are read at a time: a test of an app writes about as many. */
const PART_FRAMES = 64

/** Reads what a log has got since the last time. Only who holds the lock of writers may ask. */
export class LogReader {
  readonly #path: string
  /** How far the log was read. Its salts change when it begins anew. */
  #read: { readonly salts: bigint; readonly end: number } | undefined

  constructor(databaseFile: string) {
    this.#path = `${databaseFile}-wal`
  }

  /**
   * Of all leaves of tables that were written since the last time. A row that is there now and was written since then is in one of
   * them, unless a part of it lies on pages of its own. Undefined when the log does not tell.
   */
  changes(): RowidRanges | undefined {
    const before = this.#read
    this.#read = undefined
    if (!existsSync(this.#path)) return undefined
    const file = openSync(this.#path, 'r')
    try {
      const header = readPart(file, 0, HEADER_BYTES)
      if (header.length < HEADER_BYTES) return undefined
      const salts = header.readBigUInt64BE(SALTS_AT)
      const isSame = before?.salts === salts
      const ranges: RowidRange[] = []
      const start = isSame ? before.end : HEADER_BYTES
      // Up to the last commit: what was taken back stands behind it, and the next transaction is written over it.
      let end = start
      for (const { page, endsAt, isCommit } of framesIn(file, { salts, start, header })) {
        if (isCommit) end = endsAt
        const range = rowidsIn(page)
        if (range) ranges.push(range)
      }
      this.#read = { salts, end }
      return isSame ? merged(ranges) : undefined
    } finally {
      closeSync(file)
    }
  }

  /** The next time nothing is known. */
  forget(): void {
    this.#read = undefined
  }
}

type Part = { readonly salts: bigint; readonly start: number; readonly header: Buffer }

type Frame = { readonly page: Buffer; readonly endsAt: number; readonly isCommit: boolean }

/** Up to the frames of an earlier log, which may be many, or to one that was not written whole. */
function* framesIn(file: number, { salts, start, header }: Part): Generator<Frame> {
  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(PAGE_SIZE_AT)
  const partBytes = PART_FRAMES * frameBytes
  for (let at = start; ; at += partBytes) {
    const part = readPart(file, at, partBytes)
    for (let frame = 0; frame < partBytes; frame += frameBytes) {
      if (frame + frameBytes > part.length) return
      if (part.readBigUInt64BE(frame + FRAME_SALTS_AT) !== salts) return
      yield {
        page: part.subarray(frame + FRAME_HEADER_BYTES, frame + frameBytes),
        endsAt: at + frame + frameBytes,
        isCommit: part.readUInt32BE(frame + FRAME_COMMIT_AT) !== 0,
      }
    }
  }
}

function readPart(file: number, start: number, bytes: number): Buffer {
  const part = Buffer.alloc(bytes)
  return part.subarray(0, readSync(file, part, 0, bytes, start))
}

/** The first and the last rowid of a leaf of a table, in which they are in order. Page 1 begins with another header. */
function rowidsIn(page: Buffer): RowidRange | undefined {
  if (page[0] !== TABLE_LEAF) return undefined
  const cells = page.readUInt16BE(CELL_COUNT_AT)
  if (cells === 0) return undefined
  const rowidOf = (cell: number) => {
    const at = page.readUInt16BE(CELLS_AT + 2 * cell)
    return varintAt(page, at + varintAt(page, at).bytes).value
  }
  return [rowidOf(0), rowidOf(cells - 1)]
}

/** Seven bits of each of up to eight bytes, and eight of a ninth. */
function varintAt(page: Buffer, at: number): { readonly value: bigint; readonly bytes: number } {
  let value = 0n
  for (let i = 0; i < 8; i++) {
    const byte = page[at + i]!
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return { value, bytes: i + 1 }
  }
  return { value: BigInt.asIntN(64, (value << 8n) | BigInt(page[at + 8]!)), bytes: 9 }
}

function merged(ranges: readonly RowidRange[]): RowidRanges {
  const joined: [bigint, bigint][] = []
  for (const [first, last] of ranges.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const previous = joined.at(-1)
    if (!previous || first > previous[1]) joined.push([first, last])
    else if (last > previous[1]) previous[1] = last
  }
  return joined
}
