import type { PlatformContext } from '../context.ts'
import { createStreams, type KeyRequestStreams } from './streams.ts'
import { keepUp, startUpkeep } from './upkeep.ts'

/** Signed key requests: how an app obtains a key from a user. */
export type KeyRequests = {
  readonly streams: KeyRequestStreams
  /** Resumes interrupted approvals and deletes expired requests. Also runs periodically. */
  keepUp(): Promise<void>
  stop(): Promise<void>
}

export function createKeyRequests(context: PlatformContext): KeyRequests {
  const streams = createStreams(context)
  const stopUpkeep = startUpkeep(context)
  return {
    streams,
    keepUp: () => keepUp(context),
    async stop() {
      streams.close()
      await stopUpkeep()
    },
  }
}
