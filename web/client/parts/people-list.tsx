import type { ReactNode } from 'react'
import type { User } from '../types.ts'
import { MoreButton } from './more-button.tsx'
import { PersonRow } from './person.tsx'

type Props = {
  users: readonly User[]
  pages: Parameters<typeof MoreButton>[0]
  empty: ReactNode
  /** What one can do with a person. */
  endOf?: (user: User) => ReactNode
}

/** People, each once. */
export function PeopleList({ users, pages, empty, endOf }: Props) {
  if (users.length === 0 && !pages.hasNextPage) return empty
  const distinct = new Map(users.map((user) => [user.fid, user]))
  return (
    <>
      {[...distinct.values()].map((user) => (
        <PersonRow key={user.fid} user={user} end={endOf?.(user)} />
      ))}
      <MoreButton {...pages} />
    </>
  )
}
