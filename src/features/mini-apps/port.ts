import { port } from '../../kernel/ports.ts'
import type { MiniAppCatalogue } from './catalogue.ts'
import type { MiniAppCard } from './text/card.ts'

export { miniAppRows } from './tables/mini-apps.ts'
export type { MiniAppCard } from './text/card.ts'

/** Mini apps of this server. */
export type MiniAppsPort = {
  readonly catalogue: MiniAppCatalogue
  /** The card of a page by the tag that it has; undefined when the tag is not valid, or this server runs no mini apps. */
  readCard(content: string, page: URL): MiniAppCard | undefined
}
export const MINI_APPS_OF_SERVER = port<MiniAppsPort>('mini apps')
