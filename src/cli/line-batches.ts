import { once } from 'node:events'
import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Refused } from './client.ts'
import { Failure } from './failure.ts'

// Files of lines, each a JSON object whose one key names its kind, which are sent to a server in bounded
// batches.

/** The server accepts no more in one request. */
const MAX_BATCH_LINES = 500
/** Well below the largest request body. */
const MAX_BATCH_BYTES = 512 * 1024

export type ExportLine = Readonly<Record<string, unknown>>

/** Kinds of lines that are imported by one call. */
type Part = { readonly kinds: readonly string[] }

/** Writes lines to a file, which appears only when it is complete. Returns the number of lines. */
export async function writeLines(
  file: string,
  lines: AsyncIterable<ExportLine>,
  onLine: (count: number) => void,
): Promise<number> {
  const unfinished = `${file}.part`
  let count = 0
  try {
    const stream = createWriteStream(unfinished, { mode: 0o600, flush: true })
    await once(stream, 'open')
    for await (const line of lines) {
      if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, 'drain')
      onLine(++count)
    }
    stream.end()
    await once(stream, 'close')
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  return count
}

/** Consecutive lines of a file that are of one part. */
export type LineBatch<P extends Part = Part> = {
  readonly part: P
  readonly lines: readonly ExportLine[]
  /** Line numbers in the file, from 1. */
  readonly numbers: readonly number[]
  /** Bytes of the file up to the end of the last line. */
  readonly bytes: number
}

/**
 * Splits a file into batches, starting at a line. Empty lines are skipped. An invalid line throws a Failure
 * after the batch of the lines before it.
 */
export async function* readBatches<P extends Part>(
  file: string,
  parts: readonly P[],
  from: number,
): AsyncGenerator<LineBatch<P>> {
  let open: OpenBatch<P> | undefined
  let number = 0
  let bytes = 0
  const input = createReadStream(file)
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    const before = bytes
    const length = Buffer.byteLength(text) + 1
    bytes += length
    if (number < from || text.trim() === '') continue
    const read = readLine(text, parts)
    if (open && !('part' in read && takes(open, read.part, length))) {
      yield { ...open, bytes: before }
      open = undefined
    }
    if (!('part' in read)) throw new Failure(`${file} line ${number} ${read.fault}`)
    open ??= { part: read.part, lines: [], numbers: [], size: 0 }
    open.lines.push(read.line)
    open.numbers.push(number)
    open.size += length
  }
  if (open) yield { ...open, bytes }
}

type OpenBatch<P> = { part: P; lines: ExportLine[]; numbers: number[]; size: number }

const takes = <P>({ part, lines, size }: OpenBatch<P>, next: P, length: number): boolean =>
  part === next && lines.length < MAX_BATCH_LINES && size + length <= MAX_BATCH_BYTES

function readLine<P extends Part>(
  text: string,
  parts: readonly P[],
): { line: ExportLine; part: P } | { fault: string } {
  const line = parsed(text)
  if (!line) return { fault: 'is not a JSON object' }
  const part = parts.find(({ kinds }) => kinds.some((kind) => Object.hasOwn(line, kind)))
  return part
    ? { line, part }
    : { fault: `has none of ${parts.flatMap(({ kinds }) => kinds).join(', ')}` }
}

function parsed(text: string): ExportLine | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as ExportLine) : undefined
  } catch {
    return undefined
  }
}

/** The refusal of a batch with the line of the file at fault. */
export function failureAt(file: string, { numbers }: LineBatch, error: unknown): unknown {
  const [first] = numbers
  const goOn = `all lines before ${first} are imported; continue with --from ${first}`
  if (!(error instanceof Failure)) return error
  const index =
    error instanceof Refused ? /^lines\.(\d+)\b/.exec(error.field ?? '')?.[1] : undefined
  const where =
    index === undefined ? `lines ${first} to ${numbers.at(-1)}` : `line ${numbers[Number(index)]}`
  return new Failure(`${file} ${where}: ${error.message}; ${goOn}`)
}

export const sizeOf = (file: string): number => {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) throw new Failure(`${file} does not exist`)
  return size
}
