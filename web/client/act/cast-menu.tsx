import { lazy, Suspense, useState } from 'react'
import { CopyButton } from '../../shared/copy-button.tsx'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { MuteItem, ReportItem } from '../moderation/menu-items.tsx'
import { handleOf } from '../parts/person.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast } from '../types.ts'
import { BlockButton } from './action-menu.tsx'
import { useAct } from './actor.ts'
import { type Fact, setOverride } from './overrides.ts'
import { deleteCast } from './writes.ts'
import { useWrite } from './writing.ts'

/** Shown to moderators of the channel of the cast. */
const ChannelItems = lazy(() => import('../channels/menu-items.tsx'))

type Props = { cast: Cast; close: () => void; share: () => void }

/** What one can do with a cast besides answering it: quote, copy the link, share with an app, delete, mute, block, report. */
export default function CastMenu({ cast, close, share }: Props) {
  const { fid } = useSession()
  const write = useWrite()
  const and = (act: () => void) => () => {
    close()
    act()
  }
  return (
    <>
      <button type="button" onClick={and(() => write({ quote: cast }))}>
        <Icon name="quote" />
        {t('Quote')}
      </button>
      <CopyButton
        value={`${location.origin}/cast/${cast.hash}`}
        text={t('Copy the link')}
        isShown
        icon="link"
      />
      {fid !== undefined && (
        <button type="button" onClick={and(share)}>
          <Icon name="share" />
          {t('Share with an app …')}
        </button>
      )}
      <hr />
      {fid === cast.author.fid ? (
        <DeleteButton cast={cast} done={close} />
      ) : (
        <>
          <MuteItem target={{ fid: cast.author.fid }} who={handleOf(cast.author)} done={close} />
          <BlockButton user={cast.author} done={close} />
          <ReportItem query={`cast=${cast.hash}`} text={t('Report this {post}')} />
        </>
      )}
      {fid !== undefined && cast.channel && (
        <Suspense>
          <ChannelItems cast={cast} done={close} />
        </Suspense>
      )}
    </>
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
      failed: t('Your {post} was not deleted.'),
    })
  }
  return (
    <button type="button" className="danger" onClick={isAsked ? remove : () => setAsked(true)}>
      <Icon name="trash" />
      {isAsked ? t('Delete for good') : t('Delete …')}
    </button>
  )
}
