import { lazy, Suspense } from 'react'
import { Link, useParams } from 'react-router'
import { webUrl } from '../../shared/links.ts'
import { cleanName, cleanText } from '../../shared/text.ts'
import { ActionMenu } from '../act/action-menu.tsx'
import { FollowChannelButton } from '../act/follow-button.tsx'
import { type More, useScreen } from '../api.ts'
import { MuteItem, ReportItem } from '../moderation/menu-items.tsx'
import { CastList } from '../parts/cast-list.tsx'
import { LinkedText, OutLink } from '../parts/cast-text.tsx'
import { ChannelPicture, channelPath } from '../parts/channel-card.tsx'
import { Figure } from '../parts/figure.tsx'
import { LiveMark } from '../parts/live-mark.tsx'
import { PeopleList } from '../parts/people-list.tsx'
import { handleOf, personPath } from '../parts/person.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Title } from '../parts/title.tsx'
import { type CastsOnScreen, useNewCasts } from '../parts/use-new-casts.ts'
import { useSession } from '../session/session.tsx'
import type { Cast, ChannelScreen, User } from '../types.ts'
import { NotFound } from './not-found.tsx'

const ChangePicture = lazy(async () => {
  const { ChangeChannelPicture } = await import('../media/channel-picture.tsx')
  return { default: ChangeChannelPicture }
})

const LISTS = ['casts', 'members', 'followers'] as const
type List = (typeof LISTS)[number]
const TEXTS: Record<List, string> = { casts: 'Casts', members: 'Members', followers: 'Followers' }

/** `/channel/wetlands`, `/channel/wetlands/members` */
export function Component() {
  const { id = '', list = 'casts' } = useParams()
  if (!(LISTS as readonly string[]).includes(list)) return <NotFound />
  return <ChannelPage key={id} id={id} list={list as List} />
}

type Rows = { casts: Cast[]; users: User[]; next: { cursor: string | null } }

// biome-ignore lint/suspicious/noExplicitAny: answers of several calls
const rowsOf = ({ casts, members, users, next }: any): Rows => ({
  casts: casts ?? [],
  users: (members ?? users ?? []).map(({ user }: { user: User }) => user),
  next,
})

function moreOf(id: string, list: List, viewer: number | undefined): More {
  const calls: Record<List, More> = {
    casts: { path: '/feed/channels', query: { channel_ids: id, viewer_fid: viewer } },
    members: { path: '/channel/member/list', query: { channel_id: id } },
    followers: { path: '/channel/followers', query: { id, viewer_fid: viewer } },
  }
  return calls[list]
}

function ChannelPage({ id, list }: { id: string; list: List }) {
  const { fid: viewer } = useSession()
  const query = { id, list, viewer_fid: viewer }
  const screen = useScreen<ChannelScreen, Rows>('/screen/channel', query, {
    pageOf: ({ casts, members, people }) => rowsOf(casts ?? members ?? people),
    readPage: rowsOf,
    more: () => moreOf(id, list, viewer),
  })
  if (screen.isPending) return <Loading what="Loading the channel" />
  if (!screen.first) return <Failed isScreen error={screen.error!} retry={screen.refetch} />
  const { channel } = screen.first
  const base = channelPath(channel)
  const tabs = LISTS.map((one) => ({
    to: one === 'casts' ? base : `${base}/${one}`,
    text: TEXTS[one],
  }))
  return (
    <>
      <Title>{`${cleanName(channel.name) || channel.id} (/${channel.id})`}</Title>
      <Head screen={screen.first} base={base} />
      <Tabs label="Lists of this channel" tabs={tabs} current={tabs[LISTS.indexOf(list)]!.to} />
      {list === 'casts' ? (
        <Casts screen={screen} url={channel.url} />
      ) : (
        <PeopleList
          users={screen.pages.flatMap((page) => page.users)}
          pages={screen}
          empty={<Empty heading={`This channel has no ${list} yet`} />}
        />
      )}
    </>
  )
}

type Loaded = Parameters<typeof CastList>[0]['pages'] & CastsOnScreen

/** The feed with casts that arrive. */
function Casts({ screen, url }: { screen: Loaded; url: string }) {
  const news = useNewCasts({ parentUrl: url, list: screen })
  return (
    <>
      <LiveMark state={news.state} />
      <CastList
        casts={screen.pages.flatMap((page) => page.casts)}
        news={news}
        pages={screen}
        empty={
          <Empty heading="Nothing was cast here yet">
            <p>Casts of members appear here.</p>
          </Empty>
        }
      />
    </>
  )
}

function Head({ screen: { channel, moderators }, base }: { screen: ChannelScreen; base: string }) {
  const { fid: viewer } = useSession()
  const link = channel.external_link?.url ? webUrl(channel.external_link.url) : undefined
  return (
    <header className="profile">
      <ChannelPicture channel={channel} />
      <div className="profile-name">
        <h1>
          <bdi>{cleanName(channel.name) || channel.id}</bdi>
        </h1>
        <p className="muted">
          <bdi>/{channel.id}</bdi>
        </p>
      </div>
      <div className="profile-acts">
        <FollowChannelButton channel={channel} />
        {viewer !== undefined && channel.lead?.fid === viewer && (
          <Suspense>
            <ChangePicture fid={viewer} channel={channel} />
          </Suspense>
        )}
        <ActionMenu>
          {(close) => (
            <>
              <MuteItem target={{ channel_id: channel.id }} who={`/${channel.id}`} done={close} />
              <ReportItem query={`channel=${channel.id}`} what={`/${channel.id}`} />
            </>
          )}
        </ActionMenu>
      </div>
      {channel.description && (
        <p className="profile-bio" dir="auto">
          <LinkedText text={cleanText(channel.description)} />
        </p>
      )}
      <ul className="figures">
        <Figure to={`${base}/followers`} value={channel.follower_count} one="follower" />
        <Figure to={`${base}/members`} value={channel.member_count} one="member" />
      </ul>
      <p className="muted">
        {moderators.length > 0 && 'Moderated by '}
        {moderators.map((user, i) => (
          <span key={user.fid}>
            {i > 0 && ', '}
            <Link to={personPath(user)}>
              <bdi>{handleOf(user)}</bdi>
            </Link>
          </span>
        ))}
        {link && (
          <>
            {' · '}
            <OutLink url={link} />
          </>
        )}
      </p>
    </header>
  )
}
