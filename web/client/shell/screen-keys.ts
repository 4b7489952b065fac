import { useEffect, useEffectEvent } from 'react'

// Keys that one screen brings. The keyboard of the shell asks them first, and its help lists them.

export type ScreenKey = {
  readonly key: string
  readonly what: string
  /** Undefined where it means nothing at the moment. */
  readonly run: (() => void) | undefined
}
type ScreenKeys = { readonly heading: string; readonly keys: readonly ScreenKey[] }

let current: (() => ScreenKeys) | undefined

/** What the keys of the open screen are; undefined when it brings none. */
export const screenKeys = (): ScreenKeys | undefined => current?.()

/** The keys of a screen, as long as it is shown. */
export function useScreenKeys(heading: string, keys: readonly ScreenKey[]): void {
  const read = useEffectEvent(() => ({ heading, keys }))
  useEffect(() => {
    const own = () => read()
    current = own
    return () => {
      if (current === own) current = undefined
    }
  }, [])
}
