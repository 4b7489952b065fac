import { folded } from '../../../src/kernel/views/folded.ts'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanName } from '../../shared/text.ts'
import { useOwnLists } from './calls.ts'
import { tagChange, useListChange } from './own-lists.ts'

/** Follows a tag, so that what is written with it is a tab of Home, or ends that. */
export default function FollowTag({ tag }: { tag: string }) {
  const { data } = useOwnLists()
  const change = useListChange()
  const isOn = data?.tags.some((one) => folded(one) === folded(tag)) ?? false
  const shown = `#${cleanName(tag)}`
  const unseen = <bdi className="unseen">{shown}</bdi>
  return (
    <button
      type="button"
      className={isOn ? 'secondary follow' : 'primary follow'}
      aria-pressed={isOn}
      onClick={() =>
        change(
          tagChange(tag, !isOn),
          isOn
            ? t('You still follow {shown}.', { shown })
            : t('You do not follow {shown}.', { shown }),
        )
      }
    >
      {isOn
        ? rich('Following {shown}', { shown: unseen })
        : rich('Follow {shown}', { shown: unseen })}
    </button>
  )
}
