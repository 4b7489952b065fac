import { port } from '../../kernel/ports.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import type { pushNotice } from './push-notice.ts'

export type { PushNotice } from './push-notice.ts'

/** Notifications on the devices of accounts. */
export type Pushes = {
  readonly notify: typeof pushNotice
  /** Has the notices of a message pushed that was hidden when it was stored and is shown now; `id` of the message. */
  announce(tx: Writer, id: number): Promise<void>
  /** Those of the accounts that have devices. */
  fidsWithDevices(storage: Pick<Reader, 'of'>, fids: readonly number[]): Promise<Set<number>>
}
export const PUSHES = port<Pushes>('pushes')
