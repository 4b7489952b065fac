import { useCallback } from 'react'
import { matchPath, useLocation, useNavigate } from 'react-router'
import { useSession } from '../session/session.tsx'
import type { Cast } from '../types.ts'
import { joinPath, placeOfCast } from './join-path.ts'

// The dialog in which one writes over what one reads. It is a step of the history: going back closes it.

/** What is written: a reply, a quote, or, with neither, a cast, which may begin in a channel. */
export type Writing = { readonly reply?: Cast; readonly quote?: Cast; readonly channel?: string }

/** The channel that one reads: what one writes there goes into it. */
const channelAt = (pathname: string): string | undefined =>
  matchPath('/channel/:id/:list?', pathname)?.params.id

/** The screen on which one writes, in the channel that is shown. */
export function useComposePath(): string {
  const channel = channelAt(useLocation().pathname)
  return channel === undefined ? '/compose' : `/compose?${new URLSearchParams({ channel })}`
}

export const useWriting = (): Writing | undefined => useLocation().state?.writing

/** Opens the dialog. */
export function useWrite(): (writing: Writing) => undefined {
  const { fid } = useSession()
  const place = useLocation()
  const navigate = useNavigate()
  return useCallback(
    (writing) => {
      const cast = writing.reply ?? writing.quote
      if (fid === undefined) navigate(joinPath(cast ? placeOfCast(cast) : place))
      else {
        const channel = cast ? undefined : channelAt(place.pathname)
        const state = { writing: { ...writing, ...(channel && { channel }) } }
        navigate(place, { state, preventScrollReset: true })
      }
      return undefined
    },
    [fid, place, navigate],
  )
}
