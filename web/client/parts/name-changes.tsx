import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
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
            {rich('transfer {id}, signed by {owner}', {
              id: change.id,
              owner: <code>{shortHex(change.owner)}</code>,
            })}
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
  if (from_fid === 0) return rich('registered by {account}', { account: account(to_fid) })
  if (to_fid === 0) return rich('released by {account}', { account: account(from_fid) })
  return rich('moved from {account} to {account2}', {
    account: account(from_fid),
    account2: account(to_fid),
  })
}

const Account = ({ fid, user }: { fid: number; user: User | undefined }) => (
  <Link to={user ? personPath(user) : `/@!${fid}`}>
    <bdi>{user ? handleOf(user) : t('account {fid}', { fid: String(fid) })}</bdi>
  </Link>
)
