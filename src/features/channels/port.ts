import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { Channels } from './channels.ts'

export type { Channels } from './channels.ts'
export {
  channelRows,
  type InviteRole,
  MAX_RULES_CHARACTERS,
  type Membership,
  STORED_CHANNEL_ID,
} from './tables/channels.ts'
export { isShownInChannel } from './tables/shown-casts.ts'

/** Addresses of pictures of channels that contain a text. */
export const CHANNEL_PICTURES =
  port<(storage: Pick<Reader, 'of'>, containing: string) => Promise<string[]>>(
    'pictures of channels',
  )

/** What users and the operator do with channels. */
export const CHANNELS = port<Channels>('channels')
