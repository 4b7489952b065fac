import { useInfiniteQuery } from '@tanstack/react-query'
import { type BrowserKey, findKey } from '../act/key-store.ts'
import type { Fact } from '../act/overrides.ts'
import { callApp } from '../api.ts'
import { tokenOf, useOwn } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'
import type { Cast, Page } from '../types.ts'

// What the account keeps to read again. Each call is signed by the key of this browser; nobody else can ask.

export type Bookmark = {
  readonly cast_hash: string
  /** Null while it is not available. */
  readonly cast: Cast | null
}
type Bookmarks = Page<'bookmarks', Bookmark>

const PATH = '/bookmark/own'

export const bookmarkFact = (hash: string): Fact => `bookmark ${hash}`

export const setBookmarked = async (key: BrowserKey, hash: string, isOn: boolean) =>
  callApp(PATH, {
    method: isOn ? 'POST' : 'DELETE',
    body: { cast_hash: hash },
    token: await tokenOf(key),
  })

const read = async (key: BrowserKey, query: Record<string, string | undefined>) =>
  callApp<Bookmarks>(PATH, { query, token: await tokenOf(key) })

export const useIsBookmarked = (hash: string): boolean | undefined =>
  useOwn(`bookmark ${hash}`, async (key) => {
    const { bookmarks } = await read(key, { cast_hash: hash })
    return bookmarks.length > 0
  }).data

/** All of them, page by page. */
export function useBookmarks() {
  const { fid } = useSession()
  return useInfiniteQuery({
    queryKey: ['own', 'bookmarks', fid],
    queryFn: async ({ pageParam }) => {
      const key = await findKey(fid!)
      if (!key) throw new Error('Sign in again: this browser has no key of your account.')
      return read(key, { cursor: pageParam })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next.cursor ?? undefined,
    enabled: fid !== undefined,
    refetchOnMount: 'always',
    retry: false,
  })
}
