import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type Call, fetchJson, type Query } from '../shared/request.ts'
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
export const useApp = <T>(path: string, query: Query = {}, isWanted = true) =>
  useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => callApp<T>(path, { query, signal }),
    enabled: isWanted,
  })

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
  }: {
    pageOf: (first: First) => Page
    /** Where answers of the call for more have another shape. */
    readPage?: (answer: unknown) => Page
    more: (first: First) => More
  },
) {
  const result = useInfiniteQuery({
    queryKey: [path, query, 'pages'],
    queryFn: async ({ pageParam, signal }): Promise<{ first?: First; page: Page }> => {
      if (pageParam === undefined) {
        const first = await callApp<First>(path, { query, signal })
        return { first, page: pageOf(first) }
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
  return { ...result, first: pages[0]?.first, pages: pages.map(({ page }) => page) }
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
