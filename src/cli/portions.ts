import { once } from 'node:events'
import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Refused } from './client.ts'
import { Failure } from './failure.ts'

// Files of lines, each a JSON object with one key that says what it is, and the servers that give and take
// them in bounded portions.

/** As many as a server takes at once. */
const PORTION_LINES = 500
/** Well below what a body may have. */
const PORTION_BYTES = 512 * 1024

export type Line = Readonly<Record<string, unknown>>

/** Where lines of some kinds come from and go to. */
export type Part = { readonly kinds: readonly string[]; readonly path: string }

/** Writes lines to a file, which appears once it is whole. */
export async function writeLines(
  file: string,
  lines: AsyncIterable<Line>,
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

/** Lines of one kind of destination that follow each other in a file. */
export type Portion = {
  readonly part: Part
  readonly lines: readonly Line[]
  /** Where each is in the file, from 1. */
  readonly numbers: readonly number[]
  /** Of the file, up to its last line. */
  readonly bytes: number
}

/**
 * Cuts a file into portions, from a line on. Empty lines are passed over; one that makes no sense ends the
 * reading after the lines before it.
 */
export async function* readPortions(
  file: string,
  parts: readonly Part[],
  from: number,
): AsyncGenerator<Portion> {
  let open: OpenPortion | undefined
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

type OpenPortion = { part: Part; lines: Line[]; numbers: number[]; size: number }

const takes = ({ part, lines, size }: OpenPortion, next: Part, length: number): boolean =>
  part === next && lines.length < PORTION_LINES && size + length <= PORTION_BYTES

function readLine(
  text: string,
  parts: readonly Part[],
): { line: Line; part: Part } | { fault: string } {
  const line = parsed(text)
  if (!line) return { fault: 'is not a JSON object' }
  const part = parts.find(({ kinds }) => kinds.some((kind) => Object.hasOwn(line, kind)))
  return part
    ? { line, part }
    : { fault: `has none of ${parts.flatMap(({ kinds }) => kinds).join(', ')}` }
}

function parsed(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Line) : undefined
  } catch {
    return undefined
  }
}

/** What a server said of a portion, with the line of the file that it was about. */
export function failureAt(file: string, { numbers }: Portion, error: unknown): unknown {
  const [first] = numbers
  const goOn = `all lines before ${first} are taken; go on with --from ${first}`
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
