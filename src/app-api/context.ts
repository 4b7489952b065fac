import type { Storage } from '../storage/storage.ts'
import type { Apps } from './apps.ts'
import type { AppConfig } from './settings.ts'

/** What the derived tables tell those who read them. */
export type Views = {
  /** How much of a build is done, from 0 to 1; undefined when the tables can be read. */
  readonly building: () => number | undefined
  /** Resolves with true once everything up to this event is in the tables, with false after the wait. */
  readonly waitFor: (eventId: number, waitMs: number) => Promise<boolean>
}

/** The dependencies of every part of the app API. */
export type AppContext = {
  readonly storage: Storage
  readonly apps: Apps
  readonly views: Views
  readonly settings: Pick<AppConfig, 'castUrlBase'>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}
