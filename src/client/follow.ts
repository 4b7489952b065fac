import { checkLimit, MAX_TIMER_MS } from './checks.ts'
import type { Client, Operations } from './client.ts'
import { RookeryError } from './error.ts'
import { checkPositions, type PositionStore } from './positions.ts'
import { type CallOptions, type ClientOptions, type Input, send, wait } from './transport.ts'

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
  /** Continue after the event with this id; after the position that is kept when `positions` has one. */
  readonly lastEventId?: string
  /**
   * Keeps the position: the id up to which everything was yielded and the body of the loop has ended, also while nothing
   * comes. The next run continues there, misses nothing that happened in between, and gets again an event whose handler had
   * not ended, with the same id.
   */
  readonly positions?: PositionStore
  /** How long a connection may be silent before another is made; 60,000 milliseconds unless given, and Infinity is no limit. */
  readonly maxSilenceMs?: number
  /** End with the stream instead of connecting again. */
  readonly once?: boolean
}

const RECONNECT_MS = 1_000
/** Servers send something every 15 seconds: a connection that is silent for this time is dead. */
const MAX_SILENCE_MS = 60_000
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
  if (given.positions) checkPositions(given.positions)
  if (given.maxSilenceMs !== undefined) checkLimit(given.maxSilenceMs, 'maxSilenceMs')
  let last = (await given.positions?.load()) ?? given.lastEventId
  const yielded = new RecentIds()
  yielded.add(last)
  while (!given.signal?.aborted) {
    for await (const { id, event } of connection(options, path, input as Input, last, given)) {
      if (event && yielded.add(id)) yield event
      if (id !== undefined && id !== last) {
        // The server begins with a frame that has an id alone: what comes after it is not lost with the connection.
        last = id
        await given.positions?.save(id)
      }
      // What has arrived with this event comes in the next run.
      if (given.signal?.aborted) return
    }
    if (given.once) return
    await wait(RECONNECT_MS, given.signal).catch(() => undefined)
  }
}

/** The frames of one connection. It ends when the connection is lost; a refusal that repeats is thrown. */
async function* connection(
  options: ClientOptions,
  path: string,
  input: Input,
  last: string | undefined,
  given: FollowOptions,
): AsyncGenerator<Frame> {
  const headers = { ...given.headers, ...(last !== undefined && { 'last-event-id': last }) }
  const { signal, maxSilenceMs = MAX_SILENCE_MS } = given
  // A stream has no end: what has a time is its headers, or a whole refusal.
  const streaming = { ...options, timeoutMs: maxSilenceMs }
  const request = { method: 'get', path, input } as const
  try {
    const response = await send(streaming, request, { ...given, headers }, (answer) => answer)
    yield* framesOf(response, maxSilenceMs, signal)
  } catch (error) {
    if (signal?.aborted) return
    if (isFinal(error) || given.once) throw error
  }
}

/** A repeated event follows closely: it comes again with a retry of the server, or after a reconnect. */
const REMEMBERED_IDS = 1_000

/** The ids of the last events, so that a repeated one is recognised. */
class RecentIds {
  readonly #ids = new Set<string>()

  /** Returns whether the id is new. An event without an id always is. */
  add(id: string | undefined): boolean {
    if (id === undefined) return true
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    if (this.#ids.size > REMEMBERED_IDS) this.#ids.delete(this.#ids.values().next().value!)
    return true
  }
}

const TEMPORARY = [0, 429, 503]

/** A broken connection is a TypeError of fetch. */
const isFinal = (error: unknown) =>
  error instanceof RookeryError ? !TEMPORARY.includes(error.status) : error instanceof SyntaxError

/** What a frame moves the position to, and its event. Many frames have only one of the two. */
type Frame = { readonly id: string | undefined; readonly event: StreamEvent | undefined }

/** It ends with the signal, which the request no longer heeds once its headers have come. */
async function* framesOf(
  { body }: Response,
  maxSilenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  const cancel = () => reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', cancel)
  let rest = ''
  try {
    while (!signal?.aborted) {
      const { done, value } = await within(maxSilenceMs, reader.read())
      if (done) return
      const blocks = (rest + value).split(/\r?\n\r?\n/)
      rest = blocks.pop()!
      if (rest.length > MAX_EVENT_CHARACTERS) throw tooLong()
      yield* blocks.map(frameOf)
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    await cancel()
  }
}

/** Rejects like a lost connection when nothing comes for this time. */
async function within<T>(ms: number, read: Promise<T>): Promise<T> {
  if (ms > MAX_TIMER_MS) return read
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    const text = 'the stream was silent for too long'
    timer = setTimeout(() => reject(new TypeError(text)), ms)
  })
  return Promise.race([read, silence]).finally(() => clearTimeout(timer))
}

const tooLong = () =>
  new RookeryError('an event of the stream is too long', { status: 200, code: 'event_too_long' })

/** Parses one frame. Without data it is no event: it keeps the connection alive, and its id is a position. */
function frameOf(block: string): Frame {
  const fields: Record<string, string> = {}
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^(\w+):? ?(.*)$/s.exec(line) ?? []
    fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`
  }
  const { id, event = 'message', data } = fields
  return { id, event: data === undefined ? undefined : { id, type: event, data: JSON.parse(data) } }
}
