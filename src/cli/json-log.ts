import { createLogger, type Logger } from '../kernel/http/logger.ts'
import { EXIT_FAILED } from './failure.ts'

/** Longer text without an end of line becomes several entries. */
const MAX_LINE_CHARACTERS = 64 * 1024

let log: Logger | undefined

/** The log of the program's own messages while all output is JSON. */
export const programLog = (): Logger | undefined => log

/**
 * Writes all later output of this process as lines of JSON to standard output, warnings and uncaught errors of Node and
 * its threads included. Log collectors can parse every line.
 * A terminal on standard error still gets text.
 */
export function logEverything(): Logger {
  const made = createLogger({ level: 'info' })
  log = made
  const writeOut = process.stdout.write.bind(process.stdout)
  takeOver(process.stdout, (line) => {
    if (isJson(line)) writeOut(`${line}\n`)
    else made.info(line)
  })
  if (!process.stderr.isTTY) takeOver(process.stderr, (line) => made.warn(line))
  process.removeAllListeners('warning').on('warning', (warning) => {
    made.warn({ err: warning }, 'warning of Node')
  })
  // Until the server listens for faults itself.
  process.on('uncaughtException', (error) => {
    made.fatal({ err: error }, 'unhandled error')
    process.exit(EXIT_FAILED)
  })
  return made
}

type Write = typeof process.stdout.write

/** Passes complete lines to `onLine` instead of writing them. */
function takeOver(stream: NodeJS.WriteStream, onLine: (line: string) => void): void {
  let rest = ''
  const flush = () => {
    if (rest !== '') onLine(rest)
    rest = ''
  }
  const write = (chunk: string | Uint8Array, ...others: unknown[]): boolean => {
    rest += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const lines = rest.split('\n')
    rest = lines.pop()!
    for (const line of lines) if (line.trim() !== '') onLine(line)
    if (rest.length > MAX_LINE_CHARACTERS) flush()
    const done = others.at(-1)
    if (typeof done === 'function') process.nextTick(done as () => void)
    return true
  }
  stream.write = write as Write
  process.on('exit', flush)
}

function isJson(line: string): boolean {
  if (!line.startsWith('{')) return false
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
