import type { PlatformContext } from '../../kernel/platform/context.ts'
import type { Pushes } from '../push/port.ts'
import type { MiniAppSettings } from './settings.ts'

/** The dependencies of mini apps. */
export type MiniAppContext = PlatformContext & {
  readonly settings: MiniAppSettings
  /** Undefined where nothing is pushed to devices. */
  readonly pushes: () => Pushes | undefined
}
