import { useCallback, useSyncExternalStore } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { joinPath } from '../act/join-path.ts'
import { findKey } from '../act/key-store.ts'
import { useSession } from '../session/session.tsx'

// Which mini app runs. The app lives beside the screens, so it goes on while its user reads one of them.

/** From where an app was opened, as apps read it in their context. */
export type Opening =
  | { readonly type: 'launcher' }
  | { readonly type: 'cast_embed'; readonly embed: string; readonly cast: object }
  | { readonly type: 'cast_share'; readonly cast: object }
  | { readonly type: 'notification'; readonly notification: object }
  | { readonly type: 'channel'; readonly channel: object }
  | { readonly type: 'open_miniapp'; readonly referrerDomain: string }

export type Launch = {
  /** Of this run; the step of the history that shows the app has it too. */
  readonly id: string
  readonly url: string
  readonly opening: Opening
  /** What a card said about the app, shown until its manifest is read. */
  readonly name?: string | undefined
  readonly splashImageUrl?: string | undefined
  readonly splashBackgroundColor?: string | undefined
}

let running: Launch | undefined
const listeners = new Set<() => void>()

export function setRunning(launch: Launch | undefined): void {
  running = launch
  for (const listener of listeners) listener()
}

/** Closes an app, unless another one runs by now. */
export function closeApp({ id }: Launch): void {
  if (running?.id === id) setRunning(undefined)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useRunning = (): Launch | undefined => useSyncExternalStore(subscribe, () => running)

/** Opens an app over the screen. It is a step of the history: going back closes it. */
export function useLaunch(): (launch: Omit<Launch, 'id'>) => Promise<void> {
  const { fid } = useSession()
  const place = useLocation()
  const navigate = useNavigate()
  return useCallback(
    async (launch) => {
      // Apps are told who opens them, and what they ask for needs a key.
      const key = fid === undefined ? undefined : await findKey(fid)
      if (!key) return void navigate(joinPath(place))
      const id = crypto.randomUUID()
      // First the step of the history: an app without one is closed.
      await navigate(place, { state: { miniApp: id }, preventScrollReset: true })
      setRunning({ ...launch, id })
    },
    [fid, place, navigate],
  )
}
