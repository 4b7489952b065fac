import type { Person } from '../types.ts'
import { Avatar } from './avatar.tsx'
import { handleOf, nameOf } from './text.ts'

/** A person with picture, name and number. */
export function PersonLine({ person, small = false }: { person: Person; small?: boolean }) {
  return (
    <div className="person">
      <Avatar fid={person.fid} small={small} />
      <div>
        <bdi className="person-name">{nameOf(person)}</bdi>
        <bdi className="muted">{handleOf(person)}</bdi>
      </div>
    </div>
  )
}
