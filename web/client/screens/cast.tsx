import { lazy, Suspense } from 'react'
import { Link, useParams } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText, dateText } from '../../shared/text.ts'
import { CastActions } from '../act/cast-actions.tsx'
import { useWrite } from '../act/writing.ts'
import { useScreen } from '../api.ts'
import { CastView, Foreign } from '../parts/cast.tsx'
import { CastText } from '../parts/cast-text.tsx'
import { Embeds } from '../parts/embeds.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { FailedScreen } from '../parts/not-mirrored.tsx'
import { handleOf, Name, nameOf, Portrait, personPath } from '../parts/person.tsx'
import { SignedMessage } from '../parts/signed-message.tsx'
import { Empty, FromBefore, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast, CastScreen, CastWithReplies } from '../types.ts'

const NotShown = lazy(() => import('../moderation/not-shown.tsx'))

type Thread = Pick<CastScreen, 'conversation' | 'next'>

export function Component() {
  const { hash = '' } = useParams()
  return <CastPage key={hash} hash={hash} />
}

function CastPage({ hash }: { hash: string }) {
  const { fid: viewer } = useSession()
  const query = { hash, viewer_fid: viewer }
  const screen = useScreen<CastScreen, Thread>('/screen/cast', query, {
    pageOf: (first) => first,
    more: ({ conversation: { cast } }) => ({
      path: '/cast/conversation',
      query: { identifier: cast.hash, type: 'hash', reply_depth: 3, viewer_fid: viewer },
    }),
  })
  if (screen.isPending) return <Loading isScreen what={t('Loading the {post}')} rows={3} />
  if (!screen.first) {
    const why = { error: screen.error!, retry: screen.refetch }
    const mayBeHidden = viewer !== undefined && isGone(why.error)
    if (!mayBeHidden) return <FailedScreen {...why} />
    return (
      <Suspense fallback={<FailedScreen {...why} />}>
        <NotShown hash={hash} {...why} />
      </Suspense>
    )
  }
  const { conversation, reactions, message, above_is_missing } = screen.first
  const { cast, chronological_parent_casts: parents = [] } = conversation
  const replies = screen.pages.flatMap((page) => page.conversation.cast.direct_replies)
  return (
    <>
      <Title>{`${nameOf(cast.author)}: ${excerpt(cast.text)}`}</Title>
      <h1 className="unseen">{t('{Post} by {who}', { who: handleOf(cast.author) })}</h1>
      <FromBefore {...screen} />
      {above_is_missing && (
        <p className="above-missing muted">{t('An earlier {post} is not mirrored here')}</p>
      )}
      {parents.length > 0 && (
        <section className="above" aria-label={t('{Posts} above')}>
          {parents.map((parent) => (
            <CastView key={parent.hash} cast={parent} />
          ))}
        </section>
      )}
      <WholeCast cast={cast} />
      <Reactions reactions={reactions} />
      <SignedMessage message={message} hash={hash} />
      {replies.length === 0 && !screen.hasNextPage && <NoReplies cast={cast} />}
      <Replies replies={replies} />
      <MoreButton {...screen} />
    </>
  )
}

const isGone = (error: Error) => error instanceof Refusal && error.status === 404

const MAX_TITLE_CHARACTERS = 60

function excerpt(text: string): string {
  const characters = [...cleanText(text).replace(/\s+/g, ' ').trim()]
  if (characters.length <= MAX_TITLE_CHARACTERS) return characters.join('') || t('{aPost}')
  return `${characters.slice(0, MAX_TITLE_CHARACTERS - 1).join('')}…`
}

function WholeCast({ cast }: { cast: Cast }) {
  return (
    <article className="cast-whole">
      <header className="cast-author">
        <Link to={personPath(cast.author)} tabIndex={-1} aria-hidden="true">
          <Portrait user={cast.author} />
        </Link>
        <Link to={personPath(cast.author)} className="byline stacked">
          <span>
            <Name user={cast.author} />
          </span>
          <bdi className="handle">{handleOf(cast.author)}</bdi>
        </Link>
      </header>
      <CastText cast={cast} />
      <Foreign cast={cast} />
      <Embeds cast={cast} />
      <p className="muted">
        <time dateTime={cast.timestamp}>{dateText(Date.parse(cast.timestamp) / 1_000)}</time>
        {cast.channel && (
          <>
            {' '}
            {rich('in {link}', {
              link: (
                <Link to={`/channel/${encodeURIComponent(cast.channel.id)}`}>
                  <bdi>/{cast.channel.id}</bdi>
                </Link>
              ),
            })}
          </>
        )}
        {cast.app && cast.app.fid !== cast.author.fid && (
          <>
            {' '}
            {rich('by the app of {link}', {
              link: (
                <Link to={personPath(cast.app)}>
                  <bdi>{handleOf(cast.app)}</bdi>
                </Link>
              ),
            })}
          </>
        )}
      </p>
      <CastActions cast={cast} />
    </article>
  )
}

/** Who liked and recast it, the newest first. */
function Reactions({ reactions: { reactions, next } }: Pick<CastScreen, 'reactions'>) {
  if (reactions.length === 0) return null
  return (
    <section className="folded">
      <details>
        <summary>
          {next.cursor === null
            ? t(
                '{count, plural, one {Liked or {reposted} by #} other {Liked or {reposted} by #}}',
                { count: reactions.length },
              )
            : t(
                '{count, plural, one {Liked or {reposted} by # or more} other {Liked or {reposted} by # or more}}',
                { count: reactions.length },
              )}
        </summary>
        <ul className="reactors">
          {reactions.map(({ user, reaction_type }) => (
            <li key={`${reaction_type} ${user.fid}`}>
              <Icon name={reaction_type === 'like' ? 'heart' : 'recast'} />
              <span className="unseen">
                {reaction_type === 'like' ? t('Liked by') : t('{Reposted} by')}
              </span>
              <Link to={personPath(user)} className="byline">
                <Portrait user={user} size="s" />
                <Name user={user} /> <bdi className="handle">{handleOf(user)}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}

function NoReplies({ cast }: { cast: Cast }) {
  const write = useWrite()
  const action = { text: t('Write the first reply'), run: () => write({ reply: cast }) }
  return <Empty icon="reply" heading={t('Nobody has replied yet')} action={action} />
}

type RepliesProps = { replies: readonly CastWithReplies[] }

const Replies = ({ replies }: RepliesProps) => (
  <section aria-label={t('Replies')} className="replies">
    <Level replies={replies} />
  </section>
)

/** One landmark has the replies of all levels. */
const Level = ({ replies }: RepliesProps) =>
  replies.map((reply) => (
    <div key={reply.hash}>
      <CastView cast={reply} />
      {(reply.direct_replies ?? []).length > 0 && (
        <div className="nested">
          <Level replies={reply.direct_replies} />
        </div>
      )}
    </div>
  ))
