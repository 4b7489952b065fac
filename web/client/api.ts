import {
  type InfiniteData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useNavigationType } from 'react-router'
import { type Call, fetchJson, isLost, type Query, Refusal } from '../shared/request.ts'
import { forgetList, keepList, keptList } from './kept-lists.ts'
import { headersAfter } from './own-writes.ts'

// Calls of the app API, below the same origin. Types of answers are those of the server's schemas.

const BASE = '/app/v2/farcaster'
/** The public key of the web client, with which everybody may read. */
const HEADERS = { 'x-api-key': 'web' }

export const callApp = <T>(path: string, call: Call = {}): Promise<T> =>
  fetchJson<T>(BASE + path, {
    ...call,
    headers: { ...HEADERS, ...headersAfter(), ...call.headers },
  })

/** One answer of the app API, kept for as long as it is fresh. */
export const useApp = <T>(path: string, query: Query = {}, isWanted = true, staleTime?: number) =>
  useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => callApp<T>(path, { query, signal }),
    enabled: isWanted,
    ...(staleTime !== undefined && { staleTime }),
  })

/** How often a request is tried again that may succeed a moment later. */
export const MAX_RETRIES = 2

/** Whether the server says that there is no such answer (any more) for who asks. */
const isRefused = (error: unknown): boolean =>
  error instanceof Refusal && error.status < 500 && error.status !== 429

/** The answer of a call. When the server could not be asked and `mayBeKept`, the last answer that was kept. */
async function callOrKept<T>(
  path: string,
  query: Query,
  signal: AbortSignal,
  mayBeKept: () => boolean,
): Promise<{ answer: T; at: number; isKept?: true }> {
  try {
    const answer = await callApp<T>(path, { query, signal })
    void keepList(path, query, answer)
    return { answer, at: Date.now() }
  } catch (error) {
    if (isRefused(error)) void forgetList(path, query)
    const kept = isLost(error) && mayBeKept() ? await keptList<T>(path, query) : undefined
    if (kept) return { ...kept, isKept: true }
    throw error
  }
}

type Part<First, Page> = {
  readonly first?: First
  readonly page: Page
  /** When the first answer was read, in Unix milliseconds, and whether it stands for one that could not be had. */
  readonly at?: number
  readonly isKept?: boolean
}

type Paged = { readonly next: { readonly cursor: string | null } }

/** Where a list goes on: a call of the app API with the cursor of the page before. */
export type More = { readonly path: string; readonly query: Query }

/**
 * A screen with a list. The first answer has the screen and the first page; pages after it come from the call of
 * the list alone.
 */
export function useScreen<First extends object, Page extends Paged>(
  path: string,
  query: Query,
  {
    pageOf,
    readPage = (answer) => answer as Page,
    more,
    isAskedAgain = false,
  }: {
    pageOf: (first: First) => Page
    /** Where answers of the call for more have another shape. */
    readPage?: (answer: unknown) => Page
    more: (first: First) => More
    /** Whether an answer is old at once. */
    isAskedAgain?: boolean
  },
) {
  const queries = useQueryClient()
  // Who goes back wants the list as it was left, at the same place.
  const isBack = useNavigationType() === 'POP'
  const queryKey = [path, query, 'pages']
  const isKept = isBack && !queries.getQueryState(queryKey)?.isInvalidated
  const result = useInfiniteQuery({
    queryKey,
    refetchOnMount: isKept ? false : isAskedAgain ? 'always' : true,
    queryFn: async ({ pageParam, signal }): Promise<Part<First, Page>> => {
      if (pageParam === undefined) {
        const { answer: first, ...read } = await callOrKept<First>(path, query, signal, () => {
          const { data, fetchFailureCount = 0 } = queries.getQueryState(queryKey) ?? {}
          // What is in memory is at least as new, and a request that is lost once may succeed a moment later.
          return data === undefined && (fetchFailureCount >= MAX_RETRIES || !navigator.onLine)
        })
        return { first, page: pageOf(first), ...read }
      }
      const { cursor, path: next, query: rest } = pageParam
      return { page: readPage(await callApp(next, { query: { ...rest, cursor }, signal })) }
    },
    initialPageParam: undefined as (More & { cursor: string }) | undefined,
    getNextPageParam: ({ page }, pages) => {
      const { cursor } = page.next
      const first = pages[0]?.first
      return cursor === null || !first ? undefined : { ...more(first), cursor }
    },
  })
  const pages = result.data?.pages ?? []
  const isFromBefore = pages[0]?.isKept || (result.isRefetchError && isLost(result.error))
  return {
    ...result,
    first: pages[0]?.first,
    /** When the answer was read that is shown while the server cannot be asked. */
    keptAt: isFromBefore ? pages[0]?.at : undefined,
    reread: () => void result.refetch({ cancelRefetch: false }),
    pages: pages.map(({ page }) => page),
    /** The first page as it is now; what is shown stays. */
    readNewest: async (): Promise<Page> => pageOf(await callApp<First>(path, { query })),
    /** Changes the first page as it is shown, and when one comes back to it. */
    changeFirst: (change: (page: Page) => Page) =>
      queries.setQueryData<InfiniteData<Part<First, Page>>>(
        queryKey,
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((one, i) => (i === 0 ? { ...one, page: change(one.page) } : one)),
          },
      ),
  }
}

/** A list beside others on one screen: its first page came with the screen, the next are read on demand. */
export function useList<Page extends Paged>(
  { path, query }: More,
  {
    first,
    at,
    readPage = (answer) => answer as Page,
  }: {
    first: Page
    /** When the first page was read, in Unix milliseconds. */
    at: number
    readPage?: (answer: unknown) => Page
  },
) {
  const result = useInfiniteQuery({
    queryKey: [path, query, 'list'],
    queryFn: async ({ pageParam: cursor, signal }) =>
      readPage(await callApp(path, { query: { ...query, ...(cursor && { cursor }) }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next.cursor,
    initialData: { pages: [first], pageParams: [null] },
    initialDataUpdatedAt: at,
  })
  return { ...result, pages: result.data.pages }
}
