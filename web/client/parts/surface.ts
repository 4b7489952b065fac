import { createContext } from 'react'

/** The cast around a link, for what acts in the name of its reader. */
export const SurfaceContext = createContext<
  { readonly hash: string; readonly fid: number } | undefined
>(undefined)
