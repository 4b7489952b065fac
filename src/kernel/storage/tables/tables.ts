import { METRIC_SAMPLES } from '../../../features/operations/tables/metric-samples.ts'
import { CHAIN_EVENTS, CUSTODIES, SIGNERS, STORAGE_RENTS } from './accounts.ts'
import { ACTIONS, FEATURED_ACTIONS, INSTALLED_ACTIONS } from '../../../features/actions/tables/actions.ts'
import { APP_FIDS } from '../../../features/registration/tables/app-fids.ts'
import {
  APP_BANS,
  APP_IDEMS,
  APP_KEYS,
  APP_MUTES,
  APP_SEEN,
  APP_SIGNERS,
  APP_WEBHOOKS,
  APPS,
} from './apps.ts'
import { BADGE_MARKS, BADGE_RUNS, BADGE_SCORES } from '../../../features/badges/tables/badges.ts'
import { BLOCKS } from './blocks.ts'
import { CHAIN_BLOCKS, CHAIN_SOURCES, REORGED_FIDS } from './chain.ts'
import {
  CHANNEL_FOLLOWS,
  CHANNEL_INVITES,
  CHANNEL_MEMBERSHIPS,
  CHANNEL_MODERATIONS,
  CHANNELS,
  RESERVED_CHANNELS,
} from '../../../features/channels/tables/channels.ts'
import { MUTED_TERMS } from '../../../features/mutes/tables/muted-terms.ts'
import { PUSH_DEVICES, PUSH_KEYS, PUSH_WAITING } from '../../../features/push/tables/pushes.ts'
import { SERVER_TEXTS } from '../../../features/server-face/tables/server-texts.ts'
import { STAFF } from '../../../features/moderation/tables/staff.ts'
import { CURSORS } from './cursors.ts'
import { GASLESS_KEY_NONCES, GASLESS_KEYS } from './gasless-keys.ts'
import { INVITES } from './invites.ts'
import { KEY_REQUESTS, SPONSOR_CREDITS, SPONSOR_ENTRIES, SPONSOR_USES } from '../../../features/key-requests/tables/key-requests.ts'
import { LEDGER_NONCES, LEDGER_PENDING } from './ledger.ts'
import { LINKED_ACCOUNTS } from './linked-accounts.ts'
import { MEDIA, MEDIA_GARBAGE, MEDIA_PARTS, MEDIA_UPLOADS } from '../../../features/media/tables/media.ts'
import { MINI_APP_CAMPAIGNS } from '../../../features/mini-apps/tables/mini-app-campaigns.ts'
import { MINI_APP_DELIVERIES, MINI_APP_EVENTS } from '../../../features/mini-apps/tables/mini-app-deliveries.ts'
import { MINI_APP_NOTICES, MINI_APP_TOKENS } from '../../../features/mini-apps/tables/mini-app-notices.ts'
import { ADDED_MINI_APPS, MINI_APP_PEOPLE, MINI_APP_USES } from '../../../features/mini-apps/tables/mini-app-users.ts'
import { FEATURED_MINI_APPS, MINI_APPS } from '../../../features/mini-apps/tables/mini-apps.ts'
import {
  MIRROR_FIDS,
  MIRROR_MEMBERS,
  MIRROR_OUTBOX,
  MIRROR_QUARANTINE,
  MIRROR_RULES,
  MIRROR_SHARDS,
  MIRROR_SOURCES,
  MIRROR_WITHHELD,
} from './mirror/mirror.ts'
import { MIRROR_CONTEXT, MIRROR_CONTEXT_CASTS } from './mirror/mirror-context.ts'
import { MIRROR_NAMES } from './mirror/mirror-names.ts'
import {
  ACCOUNT_MODERATIONS,
  HIDDEN_CASTS,
  MODERATION_APPEALS,
  MODERATION_LOG,
  MODERATION_REPORTS,
  MODERATION_TASKS,
} from './moderation.ts'
import { NAME_PROOFS } from './name-proofs.ts'
import { NAME_HOLDERS, NAME_TRANSFERS } from '../../../features/registry/tables/name-transfers.ts'
import { QUOTAS } from './quotas.ts'
import { RELAY_ATTEMPTS, RELAY_GAS, RELAYS } from '../../../features/relay/tables/relays.ts'
import { RECOVERIES } from '../../../features/recovery/tables/recoveries.ts'
import { SEALED_KEY_REQUESTS, SEALED_KEYS } from '../../../features/sealed-keys/tables/sealed-keys.ts'
import { SIGN_IN_CHANNELS, SIGN_IN_KEYS, SIGN_IN_NONCES } from '../../../features/sign-in/tables/sign-in.ts'
import { STARTER_PACK_MEMBERS, STARTER_PACKS } from '../../../features/starter-packs/tables/starter-packs.ts'
import { STORAGE_LENDS, STORAGE_LENT } from './storage-lends.ts'
import type { Fields, Table } from './table.ts'

/** Every declared table. A test compares them with the schema that the migrations create. */
export const TABLES: readonly Pick<Table<Fields>, 'name' | 'fields' | 'key' | 'erase'>[] = [
  ...[CHAIN_EVENTS, CUSTODIES, SIGNERS, STORAGE_RENTS],
  ...[ACTIONS, FEATURED_ACTIONS, INSTALLED_ACTIONS],
  ...[
    APPS,
    APP_FIDS,
    APP_KEYS,
    APP_SIGNERS,
    APP_MUTES,
    APP_BANS,
    APP_SEEN,
    APP_IDEMS,
    APP_WEBHOOKS,
  ],
  ...[BADGE_MARKS, BADGE_RUNS, BADGE_SCORES],
  BLOCKS,
  ...[CHAIN_BLOCKS, CHAIN_SOURCES, REORGED_FIDS],
  ...[CHANNELS, CHANNEL_FOLLOWS, CHANNEL_INVITES, CHANNEL_MEMBERSHIPS, CHANNEL_MODERATIONS],
  RESERVED_CHANNELS,
  CURSORS,
  ...[GASLESS_KEYS, GASLESS_KEY_NONCES],
  ...[KEY_REQUESTS, SPONSOR_CREDITS, SPONSOR_ENTRIES, SPONSOR_USES],
  INVITES,
  ...[SIGN_IN_CHANNELS, SIGN_IN_NONCES, SIGN_IN_KEYS],
  ...[SEALED_KEYS, SEALED_KEY_REQUESTS, RECOVERIES],
  LINKED_ACCOUNTS,
  ...[LEDGER_NONCES, LEDGER_PENDING],
  ...[MEDIA, MEDIA_UPLOADS, MEDIA_GARBAGE, MEDIA_PARTS],
  ...[MINI_APPS, FEATURED_MINI_APPS, ADDED_MINI_APPS, MINI_APP_USES, MINI_APP_PEOPLE],
  ...[MINI_APP_TOKENS, MINI_APP_NOTICES, MINI_APP_EVENTS, MINI_APP_DELIVERIES],
  MINI_APP_CAMPAIGNS,
  ...[ACCOUNT_MODERATIONS, HIDDEN_CASTS, MODERATION_LOG, MODERATION_REPORTS, MODERATION_TASKS],
  ...[MIRROR_SOURCES, MIRROR_SHARDS, MIRROR_FIDS, MIRROR_RULES, MIRROR_QUARANTINE],
  ...[MIRROR_WITHHELD, MIRROR_MEMBERS, MIRROR_OUTBOX, MIRROR_CONTEXT, MIRROR_CONTEXT_CASTS],
  MIRROR_NAMES,
  ...[MODERATION_APPEALS, MUTED_TERMS, STAFF],
  SERVER_TEXTS,
  ...[PUSH_DEVICES, PUSH_WAITING, PUSH_KEYS],
  ...[NAME_PROOFS, NAME_HOLDERS, NAME_TRANSFERS],
  QUOTAS,
  ...[STARTER_PACKS, STARTER_PACK_MEMBERS],
  ...[STORAGE_LENDS, STORAGE_LENT],
  ...[RELAYS, RELAY_ATTEMPTS, RELAY_GAS],
  METRIC_SAMPLES,
]

/** Every table that holds data; messages and events have hand-written queries. */
export const DATA_TABLES: readonly string[] = [
  ...TABLES.map(({ name }) => name),
  ...['active_fid', 'event', 'mention', 'message', 'usage', 'row_total'],
]
