import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { Notice } from '../../shared/page.tsx'
import { rich } from '../../shared/rich.tsx'
import { getInfo } from '../act/network.ts'
import type { StorageNoticeReply } from '../types.ts'

const DATE = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })
const dayOf = (at: string) => DATE.format(Date.parse(at))

type Props = {
  readonly fid: number
  readonly data: StorageNoticeReply
  /** Whether the viewer has to agree to the rules. */
  readonly isAsked: boolean
}

/** That storage of the own account ends, what is deleted then, and what to do. */
export function StorageText({ fid, data, isAsked }: Props) {
  if (data.moves_at) return <MoveNotice at={data.moves_at} />
  if (isAsked) return <RulesNotice />
  if (!data.notice) return <FillingNotice filling={data.filling} />
  const { ends_at, pruned_from, has_ended, units_left } = data.notice
  const day = dayOf(ends_at)
  const lastDay = dayOf(pruned_from)
  const ends =
    units_left > 0
      ? has_ended
        ? t('A part of the storage of your account ended on {day}.', { day })
        : t('A part of the storage of your account ends on {day}.', { day })
      : has_ended
        ? t('The storage of your account ended on {day}. You cannot write any more.', { day })
        : t('The storage of your account ends on {day}. From then on you cannot write.', { day })
  const deletes =
    units_left > 0
      ? t(
          'On {lastDay} this server deletes the oldest of your messages that the rest does not hold.',
          { lastDay },
        )
      : t('On {lastDay} this server deletes your {posts}, likes, follows and profile.', { lastDay })
  return (
    <Notice tone={has_ended ? 'bad' : 'warn'}>
      <p>
        {ends} {deletes} <WhatToDo fid={fid} />
      </p>
    </Notice>
  )
}

const FILLED = {
  casts: (used: number, capacity: number) =>
    t('You have {used} of {capacity} {posts} that your storage holds.', { used, capacity }),
  reactions: (used: number, capacity: number) =>
    t('You have {used} of {capacity} likes and {reposts} that your storage holds.', {
      used,
      capacity,
    }),
  links: (used: number, capacity: number) =>
    t('You have {used} of {capacity} follows that your storage holds.', { used, capacity }),
} as const

/** Where storage does not grow, new messages remove the oldest ones once it is full. */
function FillingNotice({ filling }: Pick<StorageNoticeReply, 'filling'>) {
  const [first] = filling
  if (!first) return null
  const { kind, used, capacity } = first
  return (
    <Notice tone={used >= capacity ? 'bad' : 'warn'}>
      <p>
        {FILLED[kind](used, capacity)}{' '}
        {used >= capacity
          ? t('Each new one removes your oldest one.')
          : t('When it is full, each new one removes your oldest one.')}{' '}
        <span>
          {rich('<link>My account</link> shows your storage.', {
            link: (inner) => <Link to="/account">{inner}</Link>,
          })}
        </span>
      </p>
    </Notice>
  )
}

/** Somebody has asked the recovery service for the account of the viewer. */
const MoveNotice = ({ at }: { at: string }) => (
  <Notice tone="bad">
    <p>
      {rich(
        'Somebody has asked for your account and gets it on {day}. If that is not you, <link>stop it</link>.',
        { day: dayOf(at), link: (inner) => <Link to="/account">{inner}</Link> },
      )}
    </p>
  </Notice>
)

/** Rules that are new or have changed. */
function RulesNotice() {
  const { pathname } = useLocation()
  if (/^\/(?:join|compose|consent|rules)/.test(pathname)) return null
  return (
    <Notice tone="plain">
      {rich('The rules of this server are new or have changed. <link>Read and agree</link>', {
        link: (inner) => <Link to="/consent">{inner}</Link>,
      })}
    </Notice>
  )
}

function WhatToDo({ fid }: { fid: number }) {
  const { data } = useQuery({ queryKey: ['info'], queryFn: getInfo })
  if (!data) return null
  return data.accounts.source === 'chain'
    ? t(
        'To keep them, rent storage for your account (number {fid}), for example with a Farcaster app.',
        { fid: String(fid) },
      )
    : t('To keep them, ask the people who run {host} for more storage.', { host: location.host })
}
