import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Notice } from '../../shared/page.tsx'
import { getInfo } from '../act/network.ts'
import { useApp } from '../api.ts'
import { useSession } from '../session/session.tsx'
import type { StorageNoticeReply } from '../types.ts'

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' })
const dayOf = (at: string) => DATE.format(Date.parse(at))

/** Tells the viewer that storage of the own account ends, what is deleted then, and what to do. */
export function StorageNotice() {
  const { fid } = useSession()
  const { data } = useApp<StorageNoticeReply>('/screen/storage', { fid }, fid !== undefined)
  if (fid !== undefined && data?.moves_at) return <MoveNotice at={data.moves_at} />
  if (fid === undefined || !data?.notice) return null
  const { ends_at, pruned_from, has_ended, units_left } = data.notice
  const subject =
    units_left > 0 ? 'A part of the storage of your account' : 'The storage of your account'
  const lost =
    units_left > 0
      ? 'the oldest of your messages that the rest does not hold'
      : 'your casts, likes, follows and profile'
  const pause = has_ended ? 'You cannot write any more' : 'From then on you cannot write'
  return (
    <Notice tone={has_ended ? 'bad' : 'warn'}>
      <p>
        {subject} {has_ended ? 'ended' : 'ends'} on {dayOf(ends_at)}.{' '}
        {units_left === 0 && `${pause}. `}
        On {dayOf(pruned_from)} this server deletes {lost}. <WhatToDo fid={fid} />
      </p>
    </Notice>
  )
}

/** Somebody has asked the recovery service for the account of the viewer. */
const MoveNotice = ({ at }: { at: string }) => (
  <Notice tone="bad">
    <p>
      Somebody has asked for your account and gets it on {dayOf(at)}. If that is not you,{' '}
      <Link to="/account">stop it</Link>.
    </p>
  </Notice>
)

function WhatToDo({ fid }: { fid: number }) {
  const { data } = useQuery({ queryKey: ['info'], queryFn: getInfo })
  if (!data) return null
  return data.accounts.source === 'chain'
    ? `To keep them, rent storage for fid ${fid} from the StorageRegistry contract, for example with a Farcaster app.`
    : `To keep them, ask the operator of ${location.host} for more storage for fid ${fid}.`
}
