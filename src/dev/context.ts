import type { Services } from '../app.ts'
import type { Mutex } from '../kernel/base/concurrency.ts'
import type { DevClock } from './clock.ts'
import type { Faults } from './faults/fault.ts'
import type { AccountOrigin } from './origin.ts'
import type { Recorder } from './recording/recorder.ts'

/** What the routes of a development network work with. */
export type DevContext = {
  readonly services: Services
  readonly origin: AccountOrigin
  readonly clock: DevClock
  /** Adds pictures and what refers to them. */
  readonly showcase: () => Promise<void>
  /** What is broken on purpose. */
  readonly faults: Faults
  /** What apps were told. */
  readonly recorder: Recorder
  /** Runs one change of the network at a time. */
  readonly changes: Mutex
}

/** The tag of their documentation. */
export const DEV_TAGS = [
  { name: 'Development', description: 'Helpers that only a development network has.' },
]
