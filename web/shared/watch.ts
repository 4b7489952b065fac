import type { KeyRequest } from '../types.ts'
import { getRequest, requestEventsUrl } from './api.ts'

/** Poll interval of a request while its stream is silent: as deployed apps do. */
const POLL_MS = 2_000

/**
 * Reports a request and each of its changes, using its event stream. While the stream is silent, as behind a
 * proxy that buffers it, the request is polled. Returns a function that stops it.
 */
export function watchRequest(
  token: string,
  tell: (request: KeyRequest) => void,
  fail: (error: unknown) => void,
): () => void {
  let isHeard = false
  let isStopped = false
  let timer: ReturnType<typeof setTimeout>
  const source = new EventSource(requestEventsUrl(token))
  source.onmessage = ({ data }) => {
    isHeard = true
    tell(JSON.parse(data).result.signedKeyRequest)
  }
  source.onerror = () => {
    isHeard = false
  }
  const ask = async () => {
    try {
      const request = await getRequest(token)
      if (!isStopped) tell(request)
    } catch (error) {
      if (!isStopped) fail(error)
    }
  }
  const poll = async () => {
    if (!isHeard) await ask()
    if (!isStopped) timer = setTimeout(poll, POLL_MS)
  }
  poll()
  return () => {
    isStopped = true
    source.close()
    clearTimeout(timer)
  }
}
