import { port } from '../../kernel/ports.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import type { AccountNotice, PushNotice } from './push-notice.ts'

export type { AccountNotice } from './push-notice.ts'

/** Notifications on the devices of accounts. */
export type Pushes = {
  /** What people and programs say, such as mini apps. Returns how many devices are told. */
  notify(tx: Writer, notice: PushNotice, now: number): Promise<number>
  /** What the server says about the account, also by mail. Returns how many devices are told. */
  tell(tx: Writer, notice: AccountNotice, now: number): Promise<number>
  /** Has the notices of a message pushed that was hidden when it was stored and is shown now; `id` of the message. */
  announce(tx: Writer, id: number): Promise<void>
  /** Those of the accounts that have devices. */
  fidsWithDevices(storage: Pick<Reader, 'of'>, fids: readonly number[]): Promise<Set<number>>
}
export const PUSHES = port<Pushes>('pushes')
