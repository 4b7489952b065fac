import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { pushNotice } from './push-notice.ts'

export type { PushNotice } from './push-notice.ts'

/** Notifications on the devices of accounts. */
export type Pushes = {
  readonly notify: typeof pushNotice
  /** Those of the accounts that have devices. */
  fidsWithDevices(storage: Pick<Reader, 'of'>, fids: readonly number[]): Promise<Set<number>>
}
export const PUSHES = port<Pushes>('pushes')
