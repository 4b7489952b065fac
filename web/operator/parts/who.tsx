import { useQuery } from '@tanstack/react-query'
import {
  handleOf as handleIn,
  hasName,
  Name,
  Portrait,
  type Someone,
} from '../../client/parts/person.tsx'
import { t } from '../../shared/messages.ts'
import { actorText } from '../../shared/moderation-statistics.tsx'
import { cleanText } from '../../shared/text.ts'
import { ask, isFrontDoor, type People, type Person } from '../api.ts'
import { handleOf } from '../decisions.ts'

export type StaffMember = {
  readonly fid: number
  readonly role: 'moderator' | 'operator'
  readonly since: number
  readonly appointedBy: string
  readonly username?: string | undefined
  readonly displayName?: string | undefined
  readonly picture?: string | undefined
}

export const staffQuery = {
  queryKey: ['staff'],
  queryFn: () => ask<{ staff: StaffMember[] }>('/moderation/staff'),
}

/** Turns who acted, as the log names them, into the name of the account; `operator` is BY_OPERATOR in a sentence. */
export function useActors(operator?: string): (actor: string) => string {
  const { data } = useQuery({ ...staffQuery, staleTime: 60_000 })
  return (actor) => {
    const fid = Number(/^fid (\d+) \(/.exec(actor)?.[1] ?? 0)
    const username = data?.staff.find((one) => one.fid === fid)?.username
    return actorText({ actor, username }, operator)
  }
}

/** An account as people name it; at the front door a link to its profile. */
export function PersonLink({ fid, name, displayName }: PersonLinkProps) {
  const handle = handleOf({ fid, name })
  const path = name === undefined ? `/@!${fid}` : `/@${encodeURIComponent(name)}`
  return (
    <span className="person-link">
      {displayName && (
        <>
          <bdi>{cleanText(displayName)}</bdi>{' '}
        </>
      )}
      {isFrontDoor ? (
        <a href={path}>
          <bdi>{handle}</bdi>
        </a>
      ) : (
        <bdi>{handle}</bdi>
      )}
    </span>
  )
}
type PersonLinkProps = {
  readonly fid: number
  readonly name?: string | undefined
  readonly displayName?: string | undefined
}

/** A person as lists of the web client show one. */
export type Found = Someone & Pick<Person, 'name' | 'custody'>

/** By a name, an fid or a custody address. */
export const findPeople = async (
  q: string,
  limit: number,
  signal: AbortSignal,
): Promise<Found[]> => {
  const { result } = await ask<People>('/people', { query: { q, limit }, signal })
  return result.people.map(({ name, custody, ...person }) => ({
    ...someone({ ...person, name }),
    ...(name !== undefined && { name }),
    ...(custody !== undefined && { custody }),
  }))
}

/** On the port of the operator nobody fetches pictures of other sites. */
export const someone = ({ fid, name, displayName, pictureUrl }: Facts): Someone => ({
  ...{ fid, username: name ?? `!${fid}`, display_name: displayName ?? null },
  pfp_url: (isFrontDoor && pictureUrl) || null,
})
type Facts = PersonLinkProps & { readonly pictureUrl?: string | undefined }

/** With the fid, by which other screens and commands name the account. */
export function Who({ user }: { user: Someone }) {
  return (
    <span className="who">
      <Portrait user={user} size="s" />
      <span>
        <Name user={user} /> <bdi className="handle">{handleIn(user)}</bdi>
        {hasName(user) && (
          <span className="muted"> {t('account {fid}', { fid: String(user.fid) })}</span>
        )}
      </span>
    </span>
  )
}
