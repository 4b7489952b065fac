import type { PlatformContext } from '../../kernel/platform/context.ts'
import type { MiniAppSettings } from './settings.ts'

/** The dependencies of mini apps. */
export type MiniAppContext = PlatformContext & { readonly settings: MiniAppSettings }
