// Reading server-sent events as browsers do.

import assert from 'node:assert/strict'
import { type Signals, UNANNOUNCED_POLL_MS } from '../src/kernel/storage/engines/signals.ts'
import type { FeedEvent } from './feed.ts'

export type EventStreamReader = {
  readonly response: Response
  /** Events of the default name, in order of arrival. */
  readonly events: FeedEvent[]
  /** Data of events that have another name. */
  readonly named: { readonly event: string; readonly data: string }[]
  /** What a browser sends as Last-Event-ID. */
  readonly lastId: string
  /** Resolves when the stream has ended or was stopped. */
  readonly done: Promise<void>
  stop(): void
}

/** Opens a stream and reads it until it ends. */
export async function readEventStream(
  url: string,
  headers: Record<string, string> = {},
): Promise<EventStreamReader> {
  const abort = new AbortController()
  const response = await fetch(url, { headers, signal: abort.signal })
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.text())
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  const events: FeedEvent[] = []
  const named: { event: string; data: string }[] = []
  let lastId = ''
  const take = (frame: string) => {
    let event = 'message'
    let data = ''
    for (const line of frame.split('\n')) {
      const [, field, value = ''] = /^(\w*): ?(.*)$/.exec(line) ?? []
      if (field === 'id') lastId = value
      if (field === 'event') event = value
      if (field === 'data') data += value
    }
    if (data === '') return
    if (event !== 'message') named.push({ event, data })
    else {
      events.push(JSON.parse(data))
      assert.equal(lastId, String(events.at(-1)!.id))
    }
  }
  const read = async () => {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of response.body!) {
        text += decoder.decode(chunk as Uint8Array, { stream: true })
        const frames = text.split('\n\n')
        text = frames.pop()!
        frames.forEach(take)
      }
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      // The connection was lost, or we gave it up.
    }
  }
  return {
    response,
    events,
    named,
    get lastId() {
      return lastId
    },
    done: read(),
    stop: () => abort.abort(),
  }
}

/** Signals of a process that no other one can wake. */
export const UNANNOUNCED: Pick<Signals, 'on' | 'pollMs'> = {
  on: () => () => {},
  pollMs: UNANNOUNCED_POLL_MS,
}
