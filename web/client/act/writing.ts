import { useCallback } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { useSession } from '../session/session.tsx'
import type { Cast } from '../types.ts'
import { joinPath, placeOfCast } from './join-path.ts'

// The dialog in which one writes over what one reads. It is a step of the history: going back closes it.

/** What is written: a reply, a quote, or, with neither, a cast. */
export type Writing = { readonly reply?: Cast; readonly quote?: Cast }

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
      else navigate(place, { state: { writing }, preventScrollReset: true })
      return undefined
    },
    [fid, place, navigate],
  )
}
