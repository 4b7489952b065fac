import { useQuery } from '@tanstack/react-query'
import { t } from '../../shared/messages.ts'
import { actorText, hasNoAccount, withRole } from '../../shared/moderation-statistics.tsx'
import { handleOf, type Someone } from '../parts/person.tsx'
import { useSession } from '../session/session.tsx'
import { callPlatform, keyOf } from './calls.ts'

// Whom the pages of moderators name: also those who are suspended, whom the app API does not know.

/** Of one call. */
const MAX_PEOPLE = 100
const MS_PER_SECOND = 1_000

type Answer = {
  readonly fid: number
  readonly username?: string
  readonly displayName?: string
  readonly picture?: string
  readonly bio?: string
  readonly registeredAt: number
  readonly casts: number
  readonly role: string | null
}
export type Person = Someone &
  Pick<Answer, 'bio' | 'casts' | 'role'> & { readonly registered_at: string }
export type People = ReadonlyMap<number, Person>

const personOf = ({ fid, username, displayName, picture, registeredAt, ...rest }: Answer): Person =>
  ({
    ...{ fid, username: username ?? `!${fid}`, display_name: displayName, pfp_url: picture },
    ...{ ...rest, registered_at: new Date(registeredAt * MS_PER_SECOND).toISOString() },
  }) as Person

/** The first of these accounts. Others stay who they were while a changed list is asked for. */
export function usePeople(fids: readonly number[]): People {
  const { fid: viewer } = useSession()
  const known = [...new Set(fids)].filter((fid) => fid > 0).slice(0, MAX_PEOPLE)
  const { data } = useQuery({
    queryKey: ['own', 'people', viewer, known.join()],
    queryFn: async () =>
      callPlatform<{ people: Answer[] }>(
        await keyOf(viewer),
        `/moderation/people?fids=${known.join()}`,
      ),
    enabled: known.length > 0,
    placeholderData: (before) => before,
  })
  return new Map(data?.people.map((one) => [one.fid, personOf(one)]))
}

export const whoIs = (fid: number, people: People): string => {
  const person = people.get(fid)
  return person ? handleOf(person) : t('account {fid}', { fid: String(fid) })
}

const ACTOR = /\bfid (\d+)(?: \((\w+)\))?/g

/** Accounts in what the server says, as `fid 7 (moderator)`. */
export const fidsIn = (text: string): number[] =>
  [...text.matchAll(ACTOR)].map(([, fid]) => Number(fid))

/** The same text with their names; `operator` is BY_OPERATOR in a sentence. */
export const named = (text: string, people: People, operator?: string): string =>
  hasNoAccount(text)
    ? actorText({ actor: text }, operator)
    : text.replace(ACTOR, (_, fid: string, role?: string) =>
        withRole(whoIs(Number(fid), people), role),
      )
