import type { KeptAnswers } from '../http/kept-answers.ts'
import { content } from '../http/route.ts'
import type { Call, ReadHandler } from './method.ts'

/** Requests of reads that are repeated are short; a long one would only displace answers. */
const MAX_REQUEST_BYTES = 512

type VersionedRead<R extends object> = {
  decode(request: Uint8Array): R
  /** Another number when the answer may have changed; undefined where that is not known. */
  version(request: R): number | undefined
  answer(request: R, call: Call): Promise<Uint8Array>
}

/** A read whose answers are kept by its request, as those over HTTP are by their url. */
export function keptCall<R extends object>(
  answers: KeptAnswers,
  { decode, version, answer }: VersionedRead<R>,
): ReadHandler {
  return async (bytes, call) => {
    if (bytes.length > MAX_REQUEST_BYTES) return answer(decode(bytes), call)
    const key = `${call.method} ${latin1(bytes)}`
    const kept = answers.find(key)
    if (kept?.answer && version(kept.query as R) === kept.version) {
      return kept.answer.body as Uint8Array
    }
    const query = decode(bytes)
    // Before it is read, so that a change meanwhile makes what was read the answer of an earlier version.
    const readAt = version(query)
    const body = await answer(query, call)
    // A page ends early when its reader has gone.
    if (readAt === undefined || call.isCancelled()) return body
    return answers.note(key, {
      query,
      version: readAt,
      units: 0,
      answer: content(body, 'application/grpc'),
    }).body as Uint8Array
  }
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
