import type { Tag } from '../../kernel/http/route.ts'
import type { OnPlatform } from '../../kernel/platform/context.ts'

import type { Channels } from './channels.ts'

/** What the routes of this feature need. */
export type Needs = OnPlatform & { readonly channels: Channels }

export const CHANNELS: Tag[] = [
  { name: 'Channels', description: 'Channels, and who follows them.' },
]

export const CHANNEL_ROLES: Tag[] = [
  {
    name: 'Channel roles',
    description: 'Who owns, moderates and belongs to a channel, and what moderators decide.',
  },
]
