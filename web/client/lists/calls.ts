import { useQuery } from '@tanstack/react-query'
import type { BrowserKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import { keyOf, tokenOf } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'

// Tags that the account follows and its lists of people, which the server keeps for all devices. Nobody else learns of them: each call
// is signed by the key of this browser. What only screens ask and change is in own-lists.ts: this file is loaded before anything is shown.

export type PeopleList = {
  readonly id: string
  readonly name: string
  readonly member_count: number
  /** Whether the person who was asked about is on it. */
  readonly has_user?: boolean
}
export type OwnLists = {
  readonly lists: readonly PeopleList[]
  /** Without their signs. */
  readonly tags: readonly string[]
}

export const callOwn = async <T>(
  key: BrowserKey,
  path: string,
  rest: Parameters<typeof callApp>[1] = {},
) => callApp<T>(path, { ...rest, token: await tokenOf(key) })

/** A change here asks for these again, and for nothing else of the account. */
export const LISTS = ['own', 'lists']

export function useLists<T>(name: string, path: string, query: { id?: string; fid?: number } = {}) {
  const { fid } = useSession()
  return useQuery({
    queryKey: [...LISTS, fid, name],
    queryFn: async () => callOwn<T>(await keyOf(fid), path, { query }),
    enabled: fid !== undefined,
    retry: false,
  })
}

export const useOwnLists = () => useLists<OwnLists>('all', '/list/own')
