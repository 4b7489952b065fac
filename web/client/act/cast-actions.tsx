import { lazy, Suspense, useState } from 'react'
import { CopyButton } from '../../shared/copy-button.tsx'
import { Icon } from '../../shared/icons.tsx'
import { MuteItem, ReportItem } from '../moderation/menu-items.tsx'
import { handleOf } from '../parts/person.tsx'
import { compactNumber } from '../parts/tabs.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast } from '../types.ts'
import { ActionMenu, BlockButton } from './action-menu.tsx'
import { useAct } from './actor.ts'
import { placeOfCast } from './join-path.ts'
import { type Fact, setOverride, useFact } from './overrides.ts'
import { deleteCast, type Reaction, react } from './writes.ts'
import { useWrite } from './writing.ts'

/** For who moderates the channel of the cast. */
const ChannelItems = lazy(() => import('../channels/menu-items.tsx'))

const ShareSheet = lazy(() => import('../miniapps/share-sheet.tsx'))

/** What one can do with a cast, with the counts of what others did. */
export function CastActions({ cast }: { cast: Cast }) {
  const write = useWrite()
  return (
    <div className="cast-actions">
      <button
        type="button"
        className="action action-reply"
        aria-label={`Reply. ${cast.replies.count} ${cast.replies.count === 1 ? 'reply' : 'replies'}`}
        onClick={() => write({ reply: cast })}
      >
        <Icon name="reply" />
        <Tally value={cast.replies.count} />
      </button>
      <ReactionButton cast={cast} kind="recast" count={cast.reactions.recasts_count} />
      <ReactionButton cast={cast} kind="like" count={cast.reactions.likes_count} />
      <MoreActions cast={cast} />
    </div>
  )
}

const Tally = ({ value }: { value: number }) => (
  <span aria-hidden="true">{value === 0 ? '' : compactNumber(value)}</span>
)

const WORDS = {
  like: { icon: 'heart', verb: 'Like', undo: 'Unlike', one: 'like', many: 'likes' },
  recast: { icon: 'recast', verb: 'Recast', undo: 'Undo recast', one: 'recast', many: 'recasts' },
} as const

type ReactionProps = { cast: Cast; kind: Reaction; count: number }

function ReactionButton({ cast, kind, count }: ReactionProps) {
  const act = useAct()
  const context = cast.viewer_context
  const wasOn = (kind === 'like' ? context?.liked : context?.recasted) ?? false
  const fact: Fact = `${kind} ${cast.hash}`
  const isOn = useFact(fact, wasOn)
  const shown = Math.max(0, count + (isOn === wasOn ? 0 : isOn ? 1 : -1))
  const { icon, verb, undo, one, many } = WORDS[kind]
  const toggle = () =>
    act((key) => react(key, kind, { fid: cast.author.fid, hash: cast.hash }, !isOn), {
      apply: () => setOverride(fact, !isOn),
      undo: () => setOverride(fact, isOn),
      failed: `Your ${one} was not stored.`,
      back: placeOfCast(cast),
    })
  return (
    <button
      type="button"
      className={`action action-${kind}`}
      aria-pressed={isOn}
      aria-label={`${isOn ? undo : verb}. ${shown} ${shown === 1 ? one : many}`}
      onClick={toggle}
    >
      <Icon name={icon} />
      <Tally value={shown} />
    </button>
  )
}

/** What is needed less: quote, copy the link, share, delete, mute, block, report. */
function MoreActions({ cast }: { cast: Cast }) {
  const [isSharing, setSharing] = useState(false)
  return (
    <>
      <MoreMenu cast={cast} share={() => setSharing(true)} />
      {isSharing && (
        <Suspense>
          <ShareSheet cast={cast} close={() => setSharing(false)} />
        </Suspense>
      )}
    </>
  )
}

function MoreMenu({ cast, share }: { cast: Cast; share: () => void }) {
  const { fid } = useSession()
  const write = useWrite()
  return (
    <ActionMenu>
      {(close) => (
        <>
          <button
            type="button"
            onClick={() => {
              close()
              write({ quote: cast })
            }}
          >
            Quote
          </button>
          <CopyButton value={`${location.origin}/cast/${cast.hash}`} what="link" isShown />
          {fid !== undefined && (
            <button
              type="button"
              onClick={() => {
                close()
                share()
              }}
            >
              Share with an app …
            </button>
          )}
          {fid === cast.author.fid ? (
            <DeleteButton cast={cast} done={close} />
          ) : (
            <>
              <MuteItem
                target={{ fid: cast.author.fid }}
                who={handleOf(cast.author)}
                done={close}
              />
              <BlockButton user={cast.author} done={close} />
              <ReportItem query={`cast=${cast.hash}`} what="this cast" />
            </>
          )}
          {fid !== undefined && cast.channel && (
            <Suspense>
              <ChannelItems cast={cast} done={close} />
            </Suspense>
          )}
        </>
      )}
    </ActionMenu>
  )
}

/** Asks once more: a deletion cannot be undone. */
function DeleteButton({ cast, done }: { cast: Cast; done: () => void }) {
  const act = useAct()
  const [isAsked, setAsked] = useState(false)
  const fact: Fact = `deleted ${cast.hash}`
  const remove = () => {
    done()
    act((key) => deleteCast(key, cast.hash), {
      apply: () => setOverride(fact, true),
      undo: () => setOverride(fact, false),
      failed: 'Your cast was not deleted.',
    })
  }
  return (
    <button type="button" className="danger" onClick={isAsked ? remove : () => setAsked(true)}>
      {isAsked ? 'Delete for good' : 'Delete …'}
    </button>
  )
}

/** Whether the viewer has deleted a cast that lists still contain. */
export const useIsDeleted = (hash: string): boolean => useFact(`deleted ${hash}`, false)
