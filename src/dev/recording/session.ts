import { readFile, stat, writeFile } from 'node:fs/promises'

// What apps were told in a session of development, as a file: lines of JSON that a repository can hold. It has no key, token or
// signature: they are made anew when it is sent again.

const FORMAT = 'rookery-session-1'
/** What a network keeps of a session; the oldest part of a longer one is lost. */
export const MAX_RECORDED = 1_000
const MAX_MIB = 8
export const MAX_RECORDED_BYTES = MAX_MIB * 1024 * 1024

export const KINDS = ['webhook', 'mini-app event', 'sign-in'] as const
export type Kind = (typeof KINDS)[number]

/** Two slashes would begin the name of another host; a backslash counts as a slash, and control characters are left out. */
const PATH = /^\/(?!\/)[^\\\p{Cc}]*$/u

type At = {
  /** ISO 8601, by the clock of the network. */
  readonly at: string
  /** Of the address that it was sent to; of a sign-in that of its page. */
  readonly path: string
}
export type RecordedWebhook = At & {
  readonly kind: 'webhook'
  readonly body: Readonly<Record<string, unknown>>
}
export type RecordedEvent = At & {
  readonly kind: 'mini-app event'
  readonly domain: string
  readonly fid: number
  readonly event: string
  /** Whether the app may notify the user. */
  readonly notifies: boolean
}
export type RecordedSignIn = At & {
  readonly kind: 'sign-in'
  readonly fid: number
  readonly domain: string
  readonly siweUri: string
}
export type Recorded = RecordedWebhook | RecordedEvent | RecordedSignIn

/** The file is no session; the message says what to do. */
export class SessionFileError extends Error {}

export async function writeSession(path: string, session: readonly Recorded[]): Promise<void> {
  const lines = [{ format: FORMAT }, ...session].map((line) => JSON.stringify(line))
  await writeFile(path, `${lines.join('\n')}\n`)
}

export async function readSession(path: string): Promise<Recorded[]> {
  const found = await stat(path).catch((error: Error) => {
    throw new SessionFileError(`${path} is not readable (${error.message})`)
  })
  if (!found.isFile()) throw new SessionFileError(`${path} is no file`)
  if (found.size > 2 * MAX_RECORDED_BYTES) {
    throw new SessionFileError(`${path} has more than ${2 * MAX_MIB} MiB: remove some lines`)
  }
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  const [head, ...rest] = lines.map(parsed)
  if ((head as { format?: unknown } | undefined)?.format !== FORMAT) {
    const what = 'is no session of this version: make one with rookery dev record'
    throw new SessionFileError(`${path} ${what}`)
  }
  return rest.map((line, i) => {
    if (isRecorded(line)) return line
    throw new SessionFileError(`${path}: line ${i + 2} is no ${KINDS.join(', no ')}`)
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Whether it can be sent again: what is recorded and what is read from a file is checked by this alone. */
export function isRecorded(line: unknown): line is Recorded {
  const { kind, path, body, fid, domain, siweUri, event } = { ...(line as object) } as Partial<
    Record<string, unknown>
  >
  if (typeof path !== 'string' || !PATH.test(path)) return false
  if (kind === 'webhook') return typeof body === 'object' && body !== null
  if (!Number.isSafeInteger(fid) || typeof domain !== 'string') return false
  return kind === 'sign-in'
    ? typeof siweUri === 'string'
    : kind === 'mini-app event' && typeof event === 'string'
}
