import { parentPort, workerData } from 'node:worker_threads'
import { serial } from '../serial.ts'
import type { UserQuery, WordPage, WordQuery } from '../storage/app-search.ts'
import { joinStorage, type StorageSettings } from '../storage/storage.ts'
import { CLOSE } from '../thread.ts'

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

const storage = joinStorage(workerData as StorageSettings)
const queue = serial()

parentPort?.on('message', (request: SearchRequest | typeof CLOSE) => {
  void queue.run(() => (request === CLOSE ? close() : answer(request)))
})

async function close(): Promise<void> {
  await storage.close()
  parentPort?.postMessage(CLOSE)
}

async function answer(request: SearchRequest): Promise<void> {
  let response: SearchResponse
  try {
    response = await run(request)
  } catch (error) {
    response = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
  parentPort?.postMessage(response)
}

async function run(request: SearchRequest): Promise<SearchResponse> {
  const { appViews } = storage
  if (request.kind === 'casts') return { page: await appViews.castsWithWords(request.query) }
  return { fids: await appViews.usersWithWords(request.query) }
}
