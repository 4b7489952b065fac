import type { AnswerCache } from '../http/answer-cache.ts'
import type { Call, UnaryHandler } from './method.ts'

/** Longer requests are not cached. */
const MAX_REQUEST_BYTES = 512

type VersionedRead<R extends object> = {
  decode(request: Uint8Array): R
  /** Another number when the answer may have changed; undefined where that is not known. */
  version(request: R): number | undefined
  answer(request: R, call: Call): Promise<Uint8Array>
}

/** A read whose answers are cached by request bytes, as over HTTP by URL. */
export function cachedCall<R extends object>(
  cache: AnswerCache,
  { decode, version, answer }: VersionedRead<R>,
): UnaryHandler {
  return async (bytes, call) => {
    if (bytes.length > MAX_REQUEST_BYTES) return answer(decode(bytes), call)
    const key = `${call.method} ${Buffer.from(bytes).toString('latin1')}`
    const cached = cache.find<R>(key, version)
    if (cached) return cached.body as Uint8Array
    const query = decode(bytes)
    // Taken before the read: after a change meanwhile the cached answer has an old version.
    const readAt = version(query)
    const body = await answer(query, call)
    // A page ends early when its reader has gone.
    if (readAt !== undefined && !call.isCancelled())
      cache.put(key, { query, version: readAt, body })
    return body
  }
}
