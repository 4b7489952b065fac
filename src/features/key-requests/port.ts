import { port } from '../../kernel/ports.ts'
import type { failApproved } from './account-events.ts'
import type { KeyRequests } from './key-requests.ts'

export type { NewKeyRequest } from './create.ts'
export { isExpired, keyRequestRows, type StoredKeyRequest } from './tables/key-requests.ts'

/** Requests of apps for keys. */
export type KeyRequestsPort = KeyRequests & {
  /** Gives up approved requests whose transaction has failed. */
  readonly failApproved: typeof failApproved
}
export const KEY_REQUESTS_OF_APPS = port<KeyRequestsPort>('key requests')
