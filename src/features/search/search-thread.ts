import { answerInOrder, serveThread } from '../../kernel/base/thread-server.ts'
import type { UserQuery, WordPage, WordQuery } from '../../kernel/storage/reads/app-search.ts'
import { type JoinSettings, joinStorage, type Storage } from '../../kernel/storage/storage.ts'

// The connection that searches on SQLite. Requests are answered one after the other.

export type SearchRequest =
  | { readonly kind: 'casts'; readonly query: WordQuery }
  | { readonly kind: 'users'; readonly query: UserQuery }

export type SearchResponse = {
  readonly page?: WordPage
  readonly fids?: number[]
  /** Why there is no answer. */
  readonly failure?: string
}

serveThread((settings: JoinSettings, post: (response: SearchResponse) => void) => {
  const storage = joinStorage(settings)
  const answer = (request: SearchRequest) => answerOf(storage, request)
  return answerInOrder(post, answer, () => storage.close())
})

async function answerOf(storage: Storage, request: SearchRequest): Promise<SearchResponse> {
  try {
    return await run(storage, request)
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

async function run({ appViews }: Storage, request: SearchRequest): Promise<SearchResponse> {
  if (request.kind === 'casts') return { page: await appViews.castsWithWords(request.query) }
  return { fids: await appViews.usersWithWords(request.query) }
}
