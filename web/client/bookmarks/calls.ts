import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { t } from '../../shared/messages.ts'
import { type BrowserKey, findKey } from '../act/key-store.ts'
import type { Fact } from '../act/overrides.ts'
import { callApp } from '../api.ts'
import { tokenOf } from '../moderation/calls.ts'
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

/** How long what is marked is not asked for again: other devices mark too. */
const MARKS_FRESH_MS = 5 * 60_000
const NONE: ReadonlySet<string> = new Set()

/** Whether it is kept, by one answer about all of them. Browsers without the key of the account do not know. */
export function useIsBookmarked(hash: string): boolean {
  const { fid } = useSession()
  const { data = NONE } = useQuery({
    queryKey: ['own', 'bookmarked', fid],
    queryFn: async (): Promise<ReadonlySet<string>> => {
      const key = await findKey(fid!)
      if (!key) return NONE
      const token = await tokenOf(key)
      const path = `${PATH}/hashes`
      return new Set((await callApp<{ cast_hashes: string[] }>(path, { token })).cast_hashes)
    },
    enabled: fid !== undefined,
    staleTime: MARKS_FRESH_MS,
    retry: false,
  })
  return data.has(hash)
}

/** All of them, page by page. */
export function useBookmarks() {
  const { fid } = useSession()
  return useInfiniteQuery({
    queryKey: ['own', 'bookmarks', fid],
    queryFn: async ({ pageParam }) => {
      const key = await findKey(fid!)
      if (!key) throw new Error(t('Sign in again: this browser has no key of your account.'))
      return read(key, { cursor: pageParam })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next.cursor ?? undefined,
    enabled: fid !== undefined,
    refetchOnMount: 'always',
    retry: false,
  })
}
