import { useSyncExternalStore } from 'react'
import type { AppHost, LogEntry, RoomPorts } from '../host/app-host.ts'
import type { Insets } from '../host/context.ts'
import type { Opening } from '../launch.ts'

// What the room knows beside the app: the messages, and what the developer has chosen for the next calls.

/** How long a slow answer takes. */
export const SLOW_MS = 5_000
/** Older ones are forgotten. */
const MAX_ENTRIES = 2_000

export const SIZES = { desktop: '424×695', phone: '390×844', small: '360×640' } as const
export type Size = keyof typeof SIZES
export const THEMES = { page: 'as this page', light: 'light', dark: 'dark' } as const
export type Theme = keyof typeof THEMES

export const NO_INSETS: Insets = { top: 0, bottom: 0, left: 0, right: 0 }
/** Of a phone with a bar at the bottom. */
export const PHONE_INSETS: Insets = { top: 0, bottom: 34, left: 0, right: 0 }

type Choices = {
  readonly size: Size
  readonly theme: Theme
  readonly hasInsets: boolean
  readonly opening: Opening | undefined
  /** Whether each answer takes some seconds. */
  readonly isSlow: boolean
  /** Answers by method, each for one call. */
  readonly faults: Readonly<Record<string, unknown>>
}

export type RoomState = ReturnType<typeof createRoomState>

export function createRoomState() {
  let entries: readonly LogEntry[] = []
  let host: AppHost | undefined
  let choices: Choices = {
    size: 'desktop',
    theme: 'page',
    hasInsets: false,
    opening: undefined,
    isSlow: false,
    faults: {},
  }
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const choose = (change: Partial<Choices>) => {
    choices = { ...choices, ...change }
    changed()
  }
  const ports: RoomPorts = {
    log: (entry) => {
      entries = [...entries, entry].slice(-MAX_ENTRIES)
      changed()
    },
    takeFault(method) {
      if (!Object.hasOwn(choices.faults, method)) return undefined
      const { [method]: fault, ...others } = choices.faults
      choose({ faults: others })
      return { fault }
    },
    delayMs: () => (choices.isSlow ? SLOW_MS : 0),
    opening: () => choices.opening,
    platformType: () => (choices.size === 'desktop' ? 'web' : 'mobile'),
  }
  const use = <T>(read: () => T): T => useSyncExternalStore(subscribe, read)
  return {
    ports,
    choose,
    insets: () => (choices.hasInsets ? PHONE_INSETS : NO_INSETS),
    setHost: (next: AppHost) => {
      host = next
    },
    host: () => host,
    clear: () => {
      entries = []
      changed()
    },
    useEntries: () => use(() => entries),
    useChoices: () => use(() => choices),
    useSize: () => use(() => choices.size),
    useTheme: () => use(() => choices.theme),
  }
}
