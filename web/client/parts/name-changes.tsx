import { Link } from 'react-router'
import { shortHex } from '../../shared/text.ts'
import type { NameChange, User } from '../types.ts'
import { handleOf, personPath } from './person.tsx'
import { Time } from './time.tsx'

type Props = {
  changes: readonly NameChange[]
  users: readonly User[]
}

/** What happened to names: a line for each transfer in the log of the registry. */
export function NameChanges({ changes, users }: Props) {
  const byFid = new Map(users.map((user) => [user.fid, user]))
  const account = (fid: number) => <Account fid={fid} user={byFid.get(fid)} />
  return (
    <ol className="changes">
      {changes.map((change) => (
        <li key={change.id}>
          <Link to={`/name/${encodeURIComponent(change.name)}`} className="change-name">
            <bdi>{change.name}</bdi>
          </Link>
          <span>{whatHappened(change, account)}</span>
          <span className="muted">
            transfer {change.id}, signed by <code>{shortHex(change.owner)}</code>
          </span>
          <Time at={change.timestamp} />
        </li>
      ))}
    </ol>
  )
}

function whatHappened(
  { from_fid, to_fid }: NameChange,
  account: (fid: number) => React.ReactNode,
): React.ReactNode {
  if (from_fid === 0) return <>registered by {account(to_fid)}</>
  if (to_fid === 0) return <>released by {account(from_fid)}</>
  return (
    <>
      moved from {account(from_fid)} to {account(to_fid)}
    </>
  )
}

const Account = ({ fid, user }: { fid: number; user: User | undefined }) => (
  <Link to={user ? personPath(user) : `/@!${fid}`}>
    <bdi>{user ? handleOf(user) : `account ${fid}`}</bdi>
  </Link>
)
