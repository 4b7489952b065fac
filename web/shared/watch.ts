import type { KeyRequest } from '../types.ts'
import { getRequest, requestEventsUrl } from './api.ts'

/** How often a request is looked at while its stream is silent: as the deployed apps do. */
const POLL_MS = 2_000

/**
 * Tells a request as it is and at each change, by the stream of its events. While that is silent,
 * as behind a proxy that holds it back, the request is polled. Returns how to stop.
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
