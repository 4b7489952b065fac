import { Rejection } from '../protocol/rejection.ts'
import type { DuplexHandler, StreamCall } from './method.ts'

/** Answers the requests of one stream in their order; the stream stays open while it is idle. */
export const answering =
  (
    stopping: AbortSignal,
    /** No answer is sent for undefined. */
    answerTo: (request: Uint8Array, call: StreamCall) => Promise<Uint8Array | undefined>,
  ): DuplexHandler =>
  async (requests, call) => {
    const iterator = requests[Symbol.asyncIterator]()
    while (!call.isCancelled()) {
      const { done, value } = await nextUnlessStopping(iterator, stopping)
      if (done) return
      const answer = await answerTo(value, call)
      if (answer) await call.write([answer])
    }
  }

/**
 * The next request. Throws a Rejection when the hub stops: an idle stream would delay the shutdown.
 */
async function nextUnlessStopping(
  requests: AsyncIterator<Uint8Array>,
  stopping: AbortSignal,
): Promise<IteratorResult<Uint8Array>> {
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(new Rejection('unavailable', 'the hub is stopping'))
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop)
  try {
    const next = requests.next()
    next.catch(() => {}) // It fails with the stream, when its result is no longer awaited.
    return await Promise.race([next, stopped.promise])
  } finally {
    stopping.removeEventListener('abort', stop)
  }
}
