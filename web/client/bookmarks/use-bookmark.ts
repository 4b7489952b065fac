import { useQueryClient } from '@tanstack/react-query'
import { t } from '../../shared/messages.ts'
import { useAct } from '../act/actor.ts'
import { setOverride } from '../act/overrides.ts'
import { bookmarkFact, setBookmarked } from './calls.ts'

/** Keeps something to read again, or ends that. */
export function useBookmark(): (hash: string, isOn: boolean) => void {
  const act = useAct()
  const queries = useQueryClient()
  return (hash, isOn) => {
    const fact = bookmarkFact(hash)
    act(
      async (key) => {
        await setBookmarked(key, hash, isOn)
        await queries.invalidateQueries({ queryKey: ['own', 'bookmarks'] })
      },
      {
        apply: () => setOverride(fact, isOn),
        undo: () => setOverride(fact, !isOn),
        failed: isOn ? t('The bookmark was not kept.') : t('The bookmark is still there.'),
      },
    )
  }
}
