import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useAct } from '../act/actor.ts'
import { keyOf } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'
import type { Cast, Page, User } from '../types.ts'
import { callOwn, LISTS, type OwnLists, type PeopleList, useLists } from './calls.ts'

// What the screens of followed tags and lists of people ask and change.

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
        await callOwn(key, path, { method, body })
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
      return callOwn<Page<'casts', Cast>>(await keyOf(fid), path, { query: { id: list, cursor } })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next.cursor ?? undefined,
    enabled: fid !== undefined,
    retry: false,
  })
}
