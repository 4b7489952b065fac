import type { StoreContext } from '../../kernel/app-api/context.ts'
import type { ActorsPort } from '../../kernel/app-api/ports.ts'
import type { Secrets } from '../../kernel/app-api/secrets.ts'
import { port } from '../../kernel/ports.ts'
import type { KeyRequestCalls, Signers } from '../signers/port.ts'

export { authorsPage } from './feed-routes.ts'
export { unseenInAnyApp } from './notifications.ts'
export { EVERY_APP, hiddenAccountRows, MAX_MUTES_PER_FID } from './tables/hidden-accounts.ts'

/** What features are made with that add routes to the app API. It is not offered where the settings leave the views out. */
export type AppApi = StoreContext & {
  readonly platform: ActorsPort & KeyRequestCalls
  readonly signers: Signers
  readonly secrets: Secrets
  /** Whether addresses that users give may be on this machine, over http. */
  readonly allowLoopback: boolean
}
export const APP_API = port<AppApi>('app API')
