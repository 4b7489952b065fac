import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { t } from '../../shared/messages.ts'
import { answerHead, inLanguage, Refusal, refusalOf, Unreachable } from '../../shared/request.ts'

// How items are sent: what counts as refused, when an import waits, and when it stops and goes on later.

/** What a step did not bring: what it was, and what the server said. */
export type Fault = { readonly what: string; readonly said: string }

/** As many as one request may carry, by number and by bytes. */
const MESSAGES_AT_ONCE = 100
const MAX_BATCH_CHARACTERS = 500_000
/** More than any message has. */
const MAX_LINE_CHARACTERS = 100_000
const TIMEOUT_MS = 60_000
/** What the server asks to wait for is waited for, in all of one step; longer, and the import goes on later. */
const MAX_WAIT_SECONDS = 120
const PAUSE_SECONDS = 5
const BUSY = 429
/** Of a message in a batch, which has no status of its own. */
const REFUSED = 400
/** The item is at fault, and the next one may be better. Whatever else is refused stops the import. */
const OF_ITEM = [400, 404, 409, 413, 422]

const isOfItem = (error: unknown): error is Refusal =>
  error instanceof Refusal && OF_ITEM.includes(error.status)

/** The seconds that one step has to wait. */
type Patience = { seconds: number }

async function pause(patience: Patience, seconds: number, signal: AbortSignal): Promise<boolean> {
  if (seconds > patience.seconds) return false
  patience.seconds -= seconds
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, seconds * 1_000)
    signal.addEventListener('abort', end, { once: true })
  })
  return true
}

/** Waits for as long as a refusal asks. Throws one that says when to go on where that is too long. */
async function waitAsAsked(
  { message, retryAfter: seconds = PAUSE_SECONDS }: Refusal,
  patience: Patience,
  signal: AbortSignal,
): Promise<void> {
  if (!(await pause(patience, seconds, signal))) throw later(message, seconds)
}

/** One bad item is told and stops nobody. Without the server, or while it asks to wait, nothing is skipped. */
export async function sendItem(
  what: string,
  work: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<Fault[]> {
  const patience = { seconds: MAX_WAIT_SECONDS }
  for (;;) {
    signal.throwIfAborted()
    try {
      await work()
      return []
    } catch (error) {
      if (isOfItem(error)) return [{ what, said: error.message }]
      if (!(error instanceof Refusal && error.status === BUSY)) throw error
      await waitAsAsked(error, patience, signal)
    }
  }
}

const isMessage = (line: string): boolean =>
  line.length <= MAX_LINE_CHARACTERS && line.length % 4 === 0 && /^[\w+/]+={0,2}$/.test(line)

/** Lines of signed messages in batches, and those that are none. */
export function batchesOf(signed: readonly string[]): { batches: string[][]; bad: Fault[] } {
  const batches: string[][] = []
  const bad: Fault[] = []
  let characters = 0
  for (const line of signed) {
    if (!isMessage(line)) {
      bad.push({
        what: t('The line {start}', { start: `${line.slice(0, 10)}…` }),
        said: t('It is no signed message.'),
      })
      continue
    }
    const last = batches.at(-1)
    const isFull =
      !last || last.length >= MESSAGES_AT_ONCE || characters + line.length > MAX_BATCH_CHARACTERS
    if (isFull) {
      batches.push([line])
      characters = line.length
    } else {
      last.push(line)
      characters += line.length
    }
  }
  return { batches, bad }
}

/**
 * Sends messages together. A batch that is refused as a whole is sent in halves, so that one bad message is found, and so that a
 * limit lower than a batch is passed.
 */
export const sendMessages = (
  lines: readonly string[],
  signal: AbortSignal,
  patience: Patience = { seconds: MAX_WAIT_SECONDS },
): Promise<Fault[]> => sendPart(lines, signal, patience)

async function sendPart(
  lines: readonly string[],
  signal: AbortSignal,
  patience: Patience,
): Promise<Fault[]> {
  signal.throwIfAborted()
  const response = await submit(lines, signal)
  if (response.ok) return faultsOf((await response.json()) as { messages: readonly Outcome[] })
  const error = await inLanguage(
    refusalOf(answerHead(response), await response.json().catch(() => ({}))),
  )
  if (response.status === BUSY) {
    await waitAsAsked(error, patience, signal)
  } else if (!isOfItem(error)) {
    throw error
  } else if (lines.length === 1) {
    return [{ what: messageText(lines[0]!), said: error.message }]
  }
  const half = Math.ceil(lines.length / 2)
  const faults = await sendPart(lines.slice(0, half), signal, patience)
  if (half === lines.length) return faults
  return [...faults, ...(await sendPart(lines.slice(half), signal, patience))]
}

const submit = (lines: readonly string[], signal: AbortSignal): Promise<Response> => {
  const body = new BinaryWriter()
  for (const line of lines) body.tag(1, 2).bytes(bytesOfBase64(line))
  return fetch('/hub/v1/submitBulkMessages', {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(body.finish()),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch((cause) => {
    signal.throwIfAborted()
    throw new Unreachable(cause)
  })
}

const bytesOfBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

type Outcome = { readonly hash: string; readonly errCode?: string; readonly message?: string }

/** Messages that the server does not take yet are not skipped: the same batch is sent again later. */
async function faultsOf({ messages }: { messages: readonly Outcome[] }): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const { hash, errCode, message = errCode } of messages) {
    if (errCode === undefined || errCode === 'bad_request.duplicate') continue
    const refused = refusalOf({ status: REFUSED, requestId: null }, { message, errCode })
    const { message: said } = await inLanguage(refused)
    if (errCode === 'rate_limited' || errCode.startsWith('unavailable')) throw later(said)
    faults.push({ what: messageText(hash), said })
  }
  return faults
}

const messageText = (start: string) => t('The message {start}', { start: `${start.slice(0, 10)}…` })

function later(text: string, seconds?: number): Refusal {
  const said = text.replace(/\.?$/, '.')
  return new Refusal(
    BUSY,
    seconds
      ? t('{minutes, plural, one {{said} Go on in # minute.} other {{said} Go on in # minutes.}}', {
          said,
          minutes: Math.ceil(seconds / 60),
        })
      : t('{said} Go on in an hour.', { said }),
  )
}
