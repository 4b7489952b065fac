import { lazy, Suspense, useEffect } from 'react'
import { Link, useParams } from 'react-router'
import { webUrl } from '../../shared/links.ts'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { listed, rich } from '../../shared/rich.tsx'
import { cleanName, cleanText } from '../../shared/text.ts'
import { ActionMenu } from '../act/action-menu.tsx'
import { FollowChannelButton } from '../act/follow-button.tsx'
import { useFact } from '../act/overrides.ts'
import { useComposePath } from '../act/writing.ts'
import { type More, useScreen } from '../api.ts'
import { LISTS, type List, MODERATED, type Rows } from '../channels/channel-lists.ts'
import { useLookedAt } from '../channels/own-channels.ts'
import { OwnInvite } from '../channels/own-invite.tsx'
import { moderates, roleIn } from '../channels/use-channel-call.ts'
import { MuteItem, ReportItem } from '../moderation/menu-items.tsx'
import { CastView } from '../parts/cast.tsx'
import { CastList } from '../parts/cast-list.tsx'
import { LinkedText, OutLink } from '../parts/cast-text.tsx'
import { ChannelPicture, channelPath } from '../parts/channel-card.tsx'
import { Figure } from '../parts/figure.tsx'
import { LiveMark } from '../parts/live-mark.tsx'
import { handleOf, personPath } from '../parts/person.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Title } from '../parts/title.tsx'
import { type CastsOnScreen, useNewCasts } from '../parts/use-new-casts.ts'
import { useSession } from '../session/session.tsx'
import type { Cast, Channel, ChannelScreen, User } from '../types.ts'
import { NotFound } from './not-found.tsx'
import './channel.css'

const LeaveItem = lazy(async () => ({
  default: (await import('../channels/menu-items.tsx')).LeaveItem,
}))
const People = lazy(() => import('../channels/list-view.tsx'))

const TEXTS: Record<List, string> = {
  casts: t('{Posts}'),
  members: t('Members'),
  followers: t('Followers'),
  reported: t('Reported'),
  invites: t('Invites'),
  hidden: t('Hidden'),
  banned: t('Banned'),
  removed: t('Removed'),
}

/** `/channel/wetlands`, `/channel/wetlands/members` */
export function Component() {
  const { id = '', list = 'casts' } = useParams()
  if (!(list in TEXTS)) return <NotFound />
  return <ChannelPage key={id} id={id} list={list as List} />
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several calls
const rowsOf = ({ casts, members, users, invites, next }: any): Rows => ({
  casts: casts ?? [],
  members: members ?? [],
  // Followers are wrapped, others are not.
  users: (users ?? []).map((one: { user?: User }) => one.user ?? one),
  invites: invites ?? [],
  next,
})

/** Reported casts are asked for with a token of the moderator. */
const NO_ROWS = { next: { cursor: null } }

const firstRows = ({
  casts,
  members,
  people,
  invites,
  hidden,
  banned,
  restricted,
}: ChannelScreen) =>
  rowsOf(casts ?? members ?? people ?? invites ?? hidden ?? banned ?? restricted ?? NO_ROWS)

/** Removed people are restricted, in the words of the client platform. */
const listOf = (list: List) => (list === 'removed' ? 'restricted' : list)

function moreOf(id: string, list: List, viewer: number | undefined): More {
  const ofChannel = { channel_id: id }
  const calls: Record<List, More> = {
    casts: { path: '/feed/channels', query: { channel_ids: id, viewer_fid: viewer } },
    members: { path: '/channel/member/list', query: ofChannel },
    followers: { path: '/channel/followers', query: { id, viewer_fid: viewer } },
    reported: { path: '/channel/report/list', query: ofChannel },
    invites: { path: '/channel/member/invite/list', query: ofChannel },
    hidden: { path: '/channel/hidden/list', query: { ...ofChannel, viewer_fid: viewer } },
    banned: { path: '/channel/excluded/list', query: { ...ofChannel, standing: 'banned' } },
    removed: { path: '/channel/excluded/list', query: { ...ofChannel, standing: 'restricted' } },
  }
  return calls[list]
}

function ChannelPage({ id, list }: { id: string; list: List }) {
  const { fid: viewer } = useSession()
  const query = { id, list: listOf(list), viewer_fid: viewer }
  const screen = useScreen<ChannelScreen, Rows>('/screen/channel', query, {
    pageOf: firstRows,
    readPage: rowsOf,
    more: () => moreOf(id, list, viewer),
  })
  if (screen.isPending) return <Loading isScreen what={t('Loading the channel')} />
  if (!screen.first) return <Failed isScreen error={screen.error!} retry={screen.refetch} />
  const { channel } = screen.first
  const base = channelPath(channel)
  return (
    <>
      <Title>{`${cleanName(channel.name) || channel.id} (/${channel.id})`}</Title>
      <Head screen={screen.first} base={base} />
      <ListTabs list={list} base={base} isModerator={moderates(channel)} />
      {list === 'casts' ? (
        <Casts screen={screen} channel={channel} pinned={screen.first.pinned} />
      ) : (
        <Suspense fallback={<Loading what={t('Loading the list')} rows={2} />}>
          <People list={list} channel={channel} screen={screen} />
        </Suspense>
      )}
    </>
  )
}

type TabsProps = { list: List; base: string; isModerator: boolean }

function ListTabs({ list, base, isModerator }: TabsProps) {
  const isModerated = (MODERATED as readonly string[]).includes(list)
  const pathOf = (one: List) => (one === 'casts' ? base : `${base}/${one}`)
  const tabOf = (one: List) => ({ to: pathOf(one), text: TEXTS[one] })
  const moderate = isModerator ? [{ to: pathOf('reported'), text: t('Moderate') }] : []
  return (
    <>
      <Tabs
        label={t('Lists of this channel')}
        tabs={[...LISTS.map(tabOf), ...moderate]}
        current={pathOf(isModerated ? 'reported' : list)}
      />
      {isModerated && (
        <Tabs label={t('For moderators')} tabs={MODERATED.map(tabOf)} current={pathOf(list)} />
      )}
    </>
  )
}

type Loaded = Parameters<typeof CastList>[0]['pages'] & CastsOnScreen

type CastsProps = { screen: Loaded; channel: Channel; pinned: Cast | undefined }

/** The feed with casts that arrive. */
function Casts({ screen, channel, pinned }: CastsProps) {
  const news = useNewCasts({ parentUrl: channel.url, list: screen })
  const casts = screen.pages.flatMap((page) => page.casts)
  const composePath = useComposePath()
  const isFollowed = useFact(`channel ${channel.id}`, channel.viewer_context?.following ?? false)
  const isOwn = isFollowed || roleIn(channel) !== undefined
  const newest = casts[0] && Math.floor(Date.parse(casts[0].timestamp) / 1_000)
  const lookedAt = useLookedAt()
  // Also when what has arrived meanwhile is shown.
  useEffect(() => {
    if (isOwn) void lookedAt(channel.id, newest)
  }, [isOwn, lookedAt, channel.id, newest])
  return (
    <>
      <LiveMark state={news.state} />
      {pinned && (
        <section aria-label={t('Pinned')}>
          <p className="notice-kind muted">{t('Pinned by the moderators')}</p>
          <CastView cast={pinned} />
        </section>
      )}
      <CastList
        casts={casts.filter(({ hash }) => hash !== pinned?.hash)}
        news={news}
        pages={screen}
        empty={
          <Empty
            icon="pen"
            heading={t('Nobody has written in this channel yet')}
            action={{ text: t('Write the first'), to: composePath }}
          />
        }
      />
    </>
  )
}

function Head({ screen, base }: { screen: ChannelScreen; base: string }) {
  const { channel, moderators, own_invite, is_excluded } = screen
  const link = channel.external_link?.url ? webUrl(channel.external_link.url) : undefined
  return (
    <>
      {own_invite && <OwnInvite invite={own_invite} />}
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
          {roleIn(channel) === 'owner' && (
            <Link to={`${base}/edit`} className="secondary">
              {t('Edit')}
            </Link>
          )}
          <ActionMenu>
            {(close) => (
              <>
                <MuteItem target={{ channel_id: channel.id }} who={`/${channel.id}`} done={close} />
                <ReportItem
                  query={`channel=${channel.id}`}
                  text={t('Report /{id}', { id: channel.id })}
                />
                <Suspense>
                  <LeaveItem channel={channel} done={close} />
                </Suspense>
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
          <Figure
            to={`${base}/followers`}
            value={channel.follower_count}
            of={(amount, n) =>
              t('{n, plural, one {{amount} follower} other {{amount} followers}}', { amount, n })
            }
          />
          <Figure
            to={`${base}/members`}
            value={channel.member_count}
            of={(amount, n) =>
              t('{n, plural, one {{amount} member} other {{amount} members}}', { amount, n })
            }
          />
        </ul>
        <p className="muted">
          {moderators.length > 0 &&
            rich('Moderated by {people}', {
              people: listed(
                moderators.map((user) => (
                  <Link key={user.fid} to={personPath(user)}>
                    <bdi>{handleOf(user)}</bdi>
                  </Link>
                )),
              ),
            })}
          {link && (
            <>
              {' · '}
              <OutLink url={link} />
            </>
          )}
        </p>
      </header>
      <Terms channel={channel} isOpen={screen.public_casting} />
      {is_excluded === 'banned' && (
        <Notice tone="warn">
          {t('The moderators of this channel have banned you. What you write here is hidden.')}
        </Notice>
      )}
    </>
  )
}

const OWN_ROLES = {
  owner: t('You own this channel.'),
  moderator: t('You moderate this channel.'),
  member: t('You are a member.'),
}

/** Who may do what in a channel, in a sentence, and its own rules. */
function Terms({ channel, isOpen }: { channel: Channel; isOpen: boolean }) {
  const role = roleIn(channel)
  return (
    <div className="channel-terms">
      <p>
        {isOpen
          ? t(
              'Everybody may write here and followers read it in Home; moderators invite members, hide and pin {posts}, and ban people.',
            )
          : t(
              'Members write here and followers read it in Home; moderators invite members, hide and pin {posts}, and ban people.',
            )}{' '}
        {role && OWN_ROLES[role]}
      </p>
      {channel.rules && (
        <details>
          <summary>{t('Rules of this channel')}</summary>
          <p className="channel-rules-text" dir="auto">
            <LinkedText text={cleanText(channel.rules)} />
          </p>
        </details>
      )}
    </div>
  )
}
