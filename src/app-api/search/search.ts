import { startThread, type Thread } from '../../base/thread.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { AppViewReader } from '../../storage/reads/app-views.ts'
import type { Storage } from '../../storage/storage.ts'
import type { SearchRequest, SearchResponse } from './search-thread.ts'

// Full-text search does not delay other requests: on SQLite a statement blocks its thread, so searches have a thread
// and a connection of their own. On PostgreSQL they use the connections of the pool.

/** Searches that wait for the thread; each takes about a quarter of a second at most. */
const MAX_WAITING = 32

export type Search = Pick<AppViewReader, 'castsWithWords' | 'usersWithWords'> & {
  close(): Promise<void>
}

export function createSearch({
  settings,
  appViews,
}: Pick<Storage, 'settings' | 'appViews'>): Search {
  if (settings.databaseUrl) return { ...appViews, close: async () => {} }
  const script = new URL('./search-thread.ts', import.meta.url)
  let thread: Thread<SearchRequest, SearchResponse> | undefined
  let waiting = 0
  const ask = async (request: SearchRequest): Promise<SearchResponse> => {
    if (waiting >= MAX_WAITING) {
      throw new Rejection('unavailable.overloaded', 'too many searches are waiting')
    }
    waiting++
    try {
      thread ??= startThread(script, settings)
      const response = await thread.ask(request)
      if (response.failure !== undefined) throw new Error(response.failure)
      return response
    } finally {
      waiting--
    }
  }
  return {
    castsWithWords: async (query) => (await ask({ kind: 'casts', query })).page!,
    usersWithWords: async (query) => (await ask({ kind: 'users', query })).fids!,
    close: async () => thread?.close(),
  }
}
