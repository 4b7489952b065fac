import { Thread } from '../../kernel/base/thread.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { UserQuery, WordPage, WordQuery } from '../../kernel/storage/reads/app-search.ts'
import type { AppViewReader } from '../../kernel/storage/reads/app-views.ts'
import type { JoinSettings, Storage } from '../../kernel/storage/storage.ts'
import type { SearchRequest, SearchResponse } from './search-thread.ts'

// Full-text search does not delay other requests: on SQLite a statement blocks its thread, so searches have a thread
// and a connection of their own. On PostgreSQL they use the connections of the pool.

/** Searches that wait for the thread; each takes about a quarter of a second at most. */
const MAX_WAITING = 32

export type Search = Pick<AppViewReader, 'castsWithWords' | 'usersWithWords'> & {
  close(): Promise<void>
}

export const createSearch = ({
  settings,
  appViews,
}: Pick<Storage, 'settings' | 'appViews'>): Search =>
  settings.databaseUrl ? { ...appViews, close: async () => {} } : new SearchThread(settings)

class SearchThread implements Search {
  readonly #settings: JoinSettings
  #thread: Thread<SearchRequest, SearchResponse> | undefined
  #waiting = 0

  constructor(settings: JoinSettings) {
    this.#settings = settings
  }

  async castsWithWords(query: WordQuery): Promise<WordPage> {
    return (await this.#ask({ kind: 'casts', query })).page!
  }

  async usersWithWords(query: UserQuery): Promise<number[]> {
    return (await this.#ask({ kind: 'users', query })).fids!
  }

  async close(): Promise<void> {
    await this.#thread?.close()
  }

  async #ask(request: SearchRequest): Promise<SearchResponse> {
    if (this.#waiting >= MAX_WAITING) {
      throw new Rejection('unavailable.overloaded', 'too many searches are waiting')
    }
    this.#waiting++
    try {
      this.#thread ??= new Thread(SCRIPT, this.#settings)
      const response = await this.#thread.ask(request)
      if (response.failure !== undefined) throw new Error(response.failure)
      return response
    } finally {
      this.#waiting--
    }
  }
}

const SCRIPT = new URL('./search-thread.ts', import.meta.url)
