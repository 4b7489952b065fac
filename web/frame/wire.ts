import { argumentsFault, isMethod, type Method } from './methods.ts'
import { plainFault } from './plain.ts'

// What an app posts to the page around it, as @farcaster/miniapp-sdk does: Comlink messages. Each is checked, each gets
// exactly one answer, and nothing else is done here. The rules are those of docs/mini-apps.md, "In the web client".

const MAX_ID_CHARACTERS = 128
const MAX_ARGUMENTS = 8
/** Calls in a second, on average and at once. */
const CALLS_A_SECOND = 50
const MAX_UNANSWERED = 20
/** The user decides about some calls. */
const ANSWER_TIMEOUT_MS = 5 * 60_000
const SECOND_MS = 1_000

/** A call of an app that passed the checks. `context` is the one property that apps read. */
export type Call = {
  readonly id: string
  readonly method: Method | 'context'
  readonly args: readonly unknown[]
}

export type Refused = { readonly method: string; readonly reason: string }

export type WireOptions = {
  /** The window of the app, and its origin. Messages of others are not seen. */
  readonly source: unknown
  readonly origin: string
  /** Sends to the app. */
  readonly post: (message: object) => void
  readonly onCall: (call: Call) => void
  /** Told of calls that the rules refuse, for developers. */
  readonly onRefused?: (refused: Refused) => void
  /** In milliseconds; never steps back. */
  readonly now: () => number
}

type Received = { readonly source: unknown; readonly origin: string; readonly data: unknown }

export type Wire = {
  receive(message: Received): void
  answer(id: string, value: unknown): void
  fail(id: string, reason: string): void
  /** Answers calls that have waited too long. */
  expire(): void
  /** Answers what waits, and nothing that comes later. */
  end(reason: string): void
}

export function createWire(options: WireOptions): Wire {
  const { source, origin, post, onCall, onRefused, now } = options
  const waiting = new Map<string, number>()
  let tokens = CALLS_A_SECOND
  let filledAt = now()
  let isEnded = false

  const raw = (id: string, value: unknown) => post({ id, type: 'RAW', value })
  const thrown = (id: string, message: string) =>
    post({
      id,
      type: 'HANDLER',
      name: 'throw',
      value: { isError: true, value: { message, name: 'Error' } },
    })
  const settle = (id: string, send: () => void) => {
    if (waiting.delete(id)) send()
  }
  const isTooFast = (): boolean => {
    const at = now()
    tokens = Math.min(CALLS_A_SECOND, tokens + ((at - filledAt) / SECOND_MS) * CALLS_A_SECOND)
    filledAt = at
    if (tokens < 1) return true
    tokens -= 1
    return false
  }
  const wire: Wire = {
    receive({ source: from, origin: at, data }) {
      if (isEnded || from !== source || at !== origin) return
      const id = idOf(data)
      if (id === undefined || waiting.has(id)) return
      const refuse = (method: string, reason: string) => {
        onRefused?.({ method, reason })
        thrown(id, reason)
      }
      if (isTooFast()) return refuse('', `more than ${CALLS_A_SECOND} calls in a second`)
      if (waiting.size >= MAX_UNANSWERED) {
        return refuse('', `${MAX_UNANSWERED} calls are not answered yet`)
      }
      const read = readCall(id, data as object)
      if (read === 'release') return raw(id, undefined)
      if ('reason' in read) return refuse(read.method, read.reason)
      waiting.set(id, now() + ANSWER_TIMEOUT_MS)
      onCall(read)
    },
    answer: (id, value) => settle(id, () => raw(id, value)),
    fail: (id, reason) => settle(id, () => thrown(id, reason)),
    expire() {
      const at = now()
      for (const [id, until] of waiting) {
        if (until <= at) wire.fail(id, 'the user did not answer in time')
      }
    },
    end(reason) {
      for (const id of waiting.keys()) wire.fail(id, reason)
      isEnded = true
    },
  }
  return wire
}

/** Without an id nobody waits for an answer, and messages of other libraries in the app are none of ours. */
function idOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { id } = data as { id?: unknown }
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS ? id : undefined
}

type Read = Call | Refused | 'release'

/** What a message asks for: the context, or one method with plain arguments. */
function readCall(id: string, data: object): Read {
  const { type, path, argumentList } = data as {
    type?: unknown
    path?: unknown
    argumentList?: unknown
  }
  // Comlink says so when a proxy is collected.
  if (type === 'RELEASE') return 'release'
  const name =
    Array.isArray(path) && path.length === 1 ? String(path[0]).slice(0, MAX_ID_CHARACTERS) : ''
  const refused = (reason: string): Refused => ({ method: name, reason })
  const fault = plainFault(data)
  if (fault) return refused(fault)
  if (type === 'GET' && name === 'context') return { id, method: name, args: [] }
  if (type === 'GET') return refused(`this host has no property ${name}`)
  if (type !== 'APPLY') return refused('a host answers GET of context, and calls of methods')
  if (!isMethod(name)) return refused(`host.${name} is not a function`)
  const args = readArguments(argumentList)
  if (!args) return refused('arguments must be plain values')
  const wrong = argumentsFault(name, args)
  return wrong ? refused(wrong) : { id, method: name, args }
}

function readArguments(list: unknown): unknown[] | undefined {
  if (!Array.isArray(list) || list.length > MAX_ARGUMENTS) return undefined
  const isRaw = (one: unknown) =>
    typeof one === 'object' && one !== null && (one as { type?: unknown }).type === 'RAW'
  return list.every(isRaw) ? list.map((one) => (one as { value?: unknown }).value) : undefined
}
