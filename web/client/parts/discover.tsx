import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { cleanName, cleanText } from '../../shared/text.ts'
import { FollowButton, FollowChannelButton } from '../act/follow-button.tsx'
import { useApp } from '../api.ts'
import { useSession } from '../session/session.tsx'
import type { Channel, DiscoverScreen, User } from '../types.ts'
import { castPath } from './cast.tsx'
import { ChannelPicture, channelPath } from './channel-card.tsx'
import { Byline, nameOf, Portrait, personPath } from './person.tsx'
import { Loading } from './states.tsx'

// Whom and what to follow: for newcomers, for who follows nobody, and beside the content.

/** Asked once a visit: a list that changes under the finger is of no use. */
const useDiscover = (isWanted = true) => {
  const { fid } = useSession()
  return useApp<DiscoverScreen>('/screen/discover', { viewer_fid: fid }, isWanted, Infinity).data
}

/** The account that looks, as the frame reads it. */
export function useOwnUser(): User | undefined {
  const { fid } = useSession()
  return useApp<{ users: User[] }>('/user/bulk', { fids: fid }, fid !== undefined).data?.users[0]
}

// How many places of the content show suggestions: what stands beside it does not repeat them.
let places = 0
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function useAsPlace(): void {
  useEffect(() => {
    const add = (change: number) => {
      places += change
      for (const listener of listeners) listener()
    }
    add(1)
    return () => add(-1)
  }, [])
}

export function Suggestions() {
  useAsPlace()
  const found = useDiscover()
  if (!found) return <Loading what={t('Looking for people')} rows={3} />
  return (
    <>
      <People users={found.users} />
      <Channels channels={found.channels} />
    </>
  )
}

/** People, channels and casts that are talked about, beside the content of wide windows. */
export function DiscoverPanels() {
  const isWide = useState(() => matchMedia('(min-width: 68rem)').matches)[0]
  const found = useDiscover(isWide)
  const isElsewhere = useSyncExternalStore(subscribe, () => places > 0)
  if (!found) return null
  return (
    <>
      {!isElsewhere && found.users.length > 0 && (
        <Panel heading={t('People to follow')}>
          <People users={found.users} />
        </Panel>
      )}
      {!isElsewhere && found.channels.length > 0 && (
        <Panel heading={t('Channels')}>
          <Channels channels={found.channels} />
        </Panel>
      )}
      {found.casts.length > 0 && (
        <Panel heading={t('Popular now')}>
          <ul className="few">
            {found.casts.map((cast) => (
              <li key={cast.hash}>
                <Link to={castPath(cast)} className="talked">
                  <bdi className="muted">{nameOf(cast.author)}</bdi>
                  <span className="clamp" dir="auto">
                    {cleanText(cast.text) || t('{Post} without text')}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}

const Panel = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <section className="panel">
    <h2>{heading}</h2>
    {children}
  </section>
)

export const People = ({ users }: { users: readonly User[] }) => (
  <ul className="few">
    {users.map((user) => (
      <li key={user.fid}>
        <Link to={personPath(user)} tabIndex={-1} aria-hidden="true">
          <Portrait user={user} />
        </Link>
        <Byline user={user} />
        <FollowButton user={user} />
      </li>
    ))}
  </ul>
)

export const Channels = ({ channels }: { channels: readonly Channel[] }) => (
  <ul className="few">
    {channels.map((channel) => (
      <li key={channel.id}>
        <ChannelPicture channel={channel} />
        <Link to={channelPath(channel)} className="byline">
          <bdi className="name">{cleanName(channel.name) || channel.id}</bdi>{' '}
          <bdi className="handle">/{channel.id}</bdi>
        </Link>
        <FollowChannelButton channel={channel} />
      </li>
    ))}
  </ul>
)
