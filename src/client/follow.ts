import type { Client, Operations } from './client.ts'
import { RookeryError } from './error.ts'
import { type CallOptions, type Input, send, wait } from './transport.ts'

/** One event of a stream: its data are JSON for all streams of Rookery. */
export type StreamEvent = {
  /** Where a later stream may resume; undefined when the stream has no positions. */
  readonly id: string | undefined
  /** `message` unless the server names another. */
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: the reference of the interface describes it
  readonly data: any
}

export type FollowOptions = CallOptions & {
  /** Continue after the event with this id. */
  readonly lastEventId?: string
  /** End with the stream instead of connecting again. */
  readonly once?: boolean
}

const RECONNECT_MS = 1_000
/** Longer events end the stream with an error: memory is bounded. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024

type StreamInput<S, P extends keyof S> = S[P] extends { readonly input: infer I } ? I : never

/**
 * Yields the events of a stream until the signal aborts. A lost connection is made again after the last event that
 * was seen, so that none is lost and none comes twice. A refusal other than 429 and 503 is thrown.
 */
export async function* follow<O extends Operations, P extends keyof O['stream'] & string>(
  { options }: Client<O>,
  path: P,
  input?: StreamInput<O['stream'], P>,
  given: FollowOptions = {},
): AsyncGenerator<StreamEvent, void> {
  let last = given.lastEventId
  // A stream has no end: only its headers may be late, which the caller's signal covers.
  const streaming = { ...options, timeoutMs: MAX_TIMER_MS }
  while (!given.signal?.aborted) {
    const headers = { ...given.headers, ...(last !== undefined && { 'last-event-id': last }) }
    try {
      const request = { method: 'get', path, input: input as Input } as const
      const response = await send(streaming, request, { ...given, headers })
      for await (const event of eventsOf(response)) {
        last = event.id ?? last
        yield event
      }
    } catch (error) {
      if (given.signal?.aborted) return
      if (isFinal(error) || given.once) throw error
    }
    if (given.once) return
    await wait(RECONNECT_MS, given.signal).catch(() => undefined)
  }
}

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1
const TEMPORARY = [0, 429, 503]

/** A broken connection is a TypeError of fetch. */
const isFinal = (error: unknown) =>
  error instanceof RookeryError ? !TEMPORARY.includes(error.status) : error instanceof SyntaxError

async function* eventsOf({ body }: Response): AsyncGenerator<StreamEvent> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split(/\r?\n\r?\n/)
      rest = blocks.pop()!
      if (rest.length > MAX_EVENT_CHARACTERS) throw tooLong()
      for (const block of blocks) {
        const event = eventOf(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

const tooLong = () =>
  new RookeryError('an event of the stream is too long', { status: 200, code: 'event_too_long' })

/** Parses one event of the stream; undefined for a comment, which only keeps the connection alive. */
function eventOf(block: string): StreamEvent | undefined {
  const fields: Record<string, string> = {}
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^(\w+):? ?(.*)$/s.exec(line) ?? []
    fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`
  }
  if (fields.data === undefined) return undefined
  return { id: fields.id, type: fields.event ?? 'message', data: JSON.parse(fields.data) }
}
