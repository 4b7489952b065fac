import { useEffect, useEffectEvent, useRef } from 'react'
import { t } from '../../shared/messages.ts'

type Props = {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError?: boolean
  fetchNextPage: () => unknown
  /** Whether more is read on demand only, because other content follows the list. */
  isOnDemand?: boolean
}

/** The next page is read this long before the end of the list is seen. */
const AHEAD = '500px'

/** The next page of a list: read when its end comes near. The button is for the keyboard, and for when reading failed. */
export function MoreButton({
  hasNextPage,
  isFetchingNextPage,
  isFetchNextPageError = false,
  fetchNextPage,
  isOnDemand = false,
}: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const isWatched = hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isOnDemand
  const next = useEffectEvent(() => void fetchNextPage())
  useEffect(() => {
    if (!isWatched || !button.current) return
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) next()
      },
      { rootMargin: AHEAD },
    )
    watch.observe(button.current)
    return () => watch.disconnect()
  }, [isWatched])
  if (!hasNextPage) return null
  return (
    <button
      ref={button}
      type="button"
      className="more"
      disabled={isFetchingNextPage}
      onClick={() => fetchNextPage()}
    >
      {isFetchingNextPage ? t('Loading …') : isFetchNextPageError ? t('Try again') : t('Show more')}
    </button>
  )
}
