import { feature } from '../../kernel/feature.ts'
import { checkChannelCounts } from './check-counts.ts'
import { CHANNEL_MIGRATION } from './migrations/003-channels.ts'
import { CHANNEL_OWNER_MIGRATION } from './migrations/064-channel-owners.ts'
import { CHANNEL_RULES_MIGRATION } from './migrations/072-channel-rules.ts'
import { CHANNEL_SETTINGS } from './settings.ts'
import {
  CHANNEL_FOLLOWS,
  CHANNEL_INVITES,
  CHANNEL_MEMBERSHIPS,
  CHANNEL_MODERATIONS,
  CHANNELS,
  RESERVED_CHANNELS,
} from './tables/channels.ts'
import { SHOWN_CASTS } from './tables/shown-casts.ts'

declare module '../../kernel/storage/locks.ts' {
  interface PartKinds {
    channel: true
  }
  interface WholeKinds {
    channels: true
  }
}

/** Channels: named places for casts, with owners, moderators, members and followers. */
export const channels = feature({
  name: 'channels',
  needs: ['moderation-records'],
  tables: [
    CHANNEL_FOLLOWS,
    CHANNEL_INVITES,
    CHANNEL_MEMBERSHIPS,
    CHANNEL_MODERATIONS,
    CHANNELS,
    RESERVED_CHANNELS,
  ],
  newestIds: {
    platform: [
      'select max(id) as newest from channel_moderation',
      'select max(version) as newest from channel',
    ],
  },
  shown: SHOWN_CASTS,
  migrations: [
    { id: 3, what: 'channels', statements: CHANNEL_MIGRATION },
    { id: 64, what: 'rows by account', statements: CHANNEL_OWNER_MIGRATION },
    { id: 72, what: 'rules of channels', statements: CHANNEL_RULES_MIGRATION },
  ],
  settings: [CHANNEL_SETTINGS],
  counted: [{ name: 'rookery_channels', help: 'Channels', rows: { all: 'channel' } }],
  checks: [checkChannelCounts],
  serve: () => import('./serve.ts'),
})
