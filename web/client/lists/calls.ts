import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useAct } from '../act/actor.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import { keyOf, tokenOf } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'
import type { Cast, Page, User } from '../types.ts'

// Tags that the account follows and its lists of people, which the server keeps for all devices. Nobody else learns of them: each call
// is signed by the key of this browser.

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

const call = async <T>(key: BrowserKey, path: string, rest: Parameters<typeof callApp>[1] = {}) =>
  callApp<T>(path, { ...rest, token: await tokenOf(key) })

/** A change here asks for these again, and for nothing else of the account. */
const LISTS = ['own', 'lists']

function useLists<T>(name: string, path: string, query: { id?: string; fid?: number } = {}) {
  const { fid } = useSession()
  return useQuery({
    queryKey: [...LISTS, fid, name],
    queryFn: async () => call<T>(await keyOf(fid), path, { query }),
    enabled: fid !== undefined,
    retry: false,
  })
}

export const useOwnLists = () => useLists<OwnLists>('all', '/list/own')

/** The lists, each with whether somebody is on it. */
export const useListsWith = (fid: number) => useLists<OwnLists>(`with ${fid}`, '/list/own', { fid })

export const useListMembers = (id: string) =>
  useLists<{ list: PeopleList; users: User[]; hidden_fids: number[] }>(id, '/list/own/member', {
    id,
  })

type Change = {
  readonly path: '/tag/own' | '/list/own' | '/list/own/member'
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly body: object
}

export const tagChange = (tag: string, isOn: boolean): Change => ({
  path: '/tag/own',
  method: isOn ? 'POST' : 'DELETE',
  body: { tag },
})
export const newList = (name: string): Change => ({
  path: '/list/own',
  method: 'POST',
  body: { name },
})
export const renamedList = (id: string, name: string): Change => ({
  path: '/list/own',
  method: 'PATCH',
  body: { id, name },
})
export const removedList = (id: string): Change => ({
  path: '/list/own',
  method: 'DELETE',
  body: { id },
})
export const listChange = (id: string, fid: number, isOn: boolean): Change => ({
  path: '/list/own/member',
  method: isOn ? 'POST' : 'DELETE',
  body: { id, fid },
})

/** Makes a change and reads what is shown again. Returns whether it succeeded; who acts reads why it did not. */
export function useListChange(): (change: Change, failed: string) => Promise<boolean> {
  const act = useAct()
  const queries = useQueryClient()
  return ({ path, method, body }, failed) =>
    act(
      async (key) => {
        await call(key, path, { method, body })
        await queries.invalidateQueries({ queryKey: LISTS })
      },
      { failed },
    )
}

/** The feed of the followed tags, or of the people on a list. */
export function useOwnFeed(list: string | undefined) {
  const { fid } = useSession()
  return useInfiniteQuery({
    queryKey: [...LISTS, fid, 'feed', list],
    queryFn: async ({ pageParam: cursor }) => {
      const path = list === undefined ? '/feed/own_tags' : '/feed/own_list'
      return call<Page<'casts', Cast>>(await keyOf(fid), path, { query: { id: list, cursor } })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next.cursor ?? undefined,
    enabled: fid !== undefined,
    retry: false,
  })
}
