import { useQuery } from '@tanstack/react-query'
import { actorText } from '../../shared/moderation-statistics.tsx'
import { cleanText } from '../../shared/text.ts'
import { ask, isFrontDoor } from '../api.ts'
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

/** Turns who acted, as the log names them, into the name of the account. */
export function useActors(): (actor: string) => string {
  const { data } = useQuery({ ...staffQuery, staleTime: 60_000 })
  return (actor) => {
    const fid = Number(/^fid (\d+) \(/.exec(actor)?.[1] ?? 0)
    const username = data?.staff.find((one) => one.fid === fid)?.username
    return actorText({ actor, username })
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
