import { lazy, Suspense, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { bookmarkFact, useIsBookmarked } from '../bookmarks/calls.ts'
import { useBookmark } from '../bookmarks/use-bookmark.ts'
import { handleOf } from '../parts/person.tsx'
import { compactNumber } from '../parts/tabs.tsx'
import type { Cast } from '../types.ts'
import { ActionMenu } from './action-menu.tsx'
import { useAct } from './actor.ts'
import { placeOfCast } from './join-path.ts'
import { tell, tellDone } from './notices.tsx'
import { type Fact, setOverride, useFact } from './overrides.ts'
import { type Reaction, react } from './writes.ts'
import { useWrite } from './writing.ts'

const loadMenu = () => import('./cast-menu.tsx')
const CastMenu = lazy(loadMenu)

const ShareSheet = lazy(() => import('../miniapps/share-sheet.tsx'))

/** What one can do with a cast, with the counts of what others did. */
export function CastActions({ cast }: { cast: Cast }) {
  const write = useWrite()
  return (
    <div className="cast-actions">
      <button type="button" className="action action-reply" onClick={() => write({ reply: cast })}>
        <Icon name="reply" />
        <Tally
          value={cast.replies.count}
          said={t('Reply. {count, plural, one {# reply} other {# replies}}', {
            count: cast.replies.count,
          })}
        />
      </button>
      <ReactionButton cast={cast} kind="recast" count={cast.reactions.recasts_count} />
      <ReactionButton cast={cast} kind="like" count={cast.reactions.likes_count} />
      <BookmarkButton cast={cast} />
      <ShareButton cast={cast} />
      <MoreActions cast={cast} />
    </div>
  )
}

/**
 * The count, and in words for screen readers what the button does. Not an `aria-label`: it would have to contain the visible count,
 * and Arabic, for example, has a word of its own for one and for two.
 */
const Tally = ({ value, said }: { value: number; said: string }) => (
  <>
    <span aria-hidden="true">{value === 0 ? '' : compactNumber(value)}</span>
    <span className="unseen">{said}</span>
  </>
)

const WORDS = {
  like: {
    icon: 'heart',
    text: (isOn: boolean) => (isOn ? t('Unlike') : t('Like')),
    amount: (count: number) => t('{count, plural, one {# like} other {# likes}}', { count }),
    failed: t('Your like was not stored.'),
  },
  recast: {
    icon: 'recast',
    text: (isOn: boolean) => (isOn ? t('Undo {repost}') : t('{Repost}')),
    amount: (count: number) =>
      t('{count, plural, one {# {repost}} other {# {reposts}}}', { count }),
    failed: t('Your {repost} was not stored.'),
  },
} as const

type ReactionProps = { cast: Cast; kind: Reaction; count: number }

function ReactionButton({ cast, kind, count }: ReactionProps) {
  const act = useAct()
  const context = cast.viewer_context
  const wasOn = (kind === 'like' ? context?.liked : context?.recasted) ?? false
  const fact: Fact = `${kind} ${cast.hash}`
  const isOn = useFact(fact, wasOn)
  const shown = Math.max(0, count + (isOn === wasOn ? 0 : isOn ? 1 : -1))
  const { icon, text, amount, failed } = WORDS[kind]
  const toggle = () =>
    act((key) => react(key, kind, { fid: cast.author.fid, hash: cast.hash }, !isOn), {
      apply: () => setOverride(fact, !isOn),
      undo: () => setOverride(fact, isOn),
      failed,
      back: placeOfCast(cast),
    })
  return (
    <button type="button" className={`action action-${kind}`} aria-pressed={isOn} onClick={toggle}>
      <Icon name={icon} />
      <Tally value={shown} said={`${text(isOn)}. ${amount(shown)}`} />
    </button>
  )
}

function BookmarkButton({ cast: { hash } }: { cast: Cast }) {
  const bookmark = useBookmark()
  const isOn = useFact(bookmarkFact(hash), useIsBookmarked(hash))
  return (
    <button
      type="button"
      className="action action-bookmark"
      aria-pressed={isOn}
      aria-label={isOn ? t('Remove the bookmark') : t('Bookmark')}
      onClick={() => bookmark(hash, !isOn)}
    >
      <Icon name="bookmark" />
    </button>
  )
}

/** Hands the link to the device, where it can take it, and else to the clipboard. */
function ShareButton({ cast: { hash, author } }: { cast: Cast }) {
  const share = async () => {
    const url = `${location.origin}/cast/${hash}`
    const title = t('{Post} by {who}', { who: handleOf(author) })
    // Who closes the sheet of the device has changed their mind.
    if (navigator.share) return void navigator.share({ title, url }).catch(() => {})
    await navigator.clipboard?.writeText(url).then(
      () => tellDone(t('The link was copied.')),
      () => tell(t('The link could not be copied: {url}', { url })),
    )
  }
  // Pages without TLS have neither.
  if (!navigator.share && !navigator.clipboard) return null
  return (
    <button type="button" className="action" aria-label={t('Share the link')} onClick={share}>
      <Icon name="share" />
    </button>
  )
}

/** What is needed less. The menu is loaded when one is opened first. */
function MoreActions({ cast }: { cast: Cast }) {
  const [isSharing, setSharing] = useState(false)
  return (
    <>
      <ActionMenu prepare={() => loadMenu().catch(() => {})}>
        {(close) => (
          <Suspense fallback={<p className="menu-link muted">{t('Loading …')}</p>}>
            <CastMenu cast={cast} close={close} share={() => setSharing(true)} />
          </Suspense>
        )}
      </ActionMenu>
      {isSharing && (
        <Suspense>
          <ShareSheet cast={cast} close={() => setSharing(false)} />
        </Suspense>
      )}
    </>
  )
}
