import { actions } from './actions/feature.ts'
import { addresses } from './addresses/feature.ts'
import { appApi } from './app-api/feature.ts'
import { archives } from './archives/feature.ts'
import { backups } from './backups/feature.ts'
import { badges } from './badges/feature.ts'
import { blocks } from './blocks/feature.ts'
import { bookmarks } from './bookmarks/feature.ts'
import { channels } from './channels/feature.ts'
import { exports } from './exports/feature.ts'
import { fork } from './fork/feature.ts'
import { invites } from './invites/feature.ts'
import { joining } from './joining/feature.ts'
import { keyRequests } from './key-requests/feature.ts'
import { languages } from './languages/feature.ts'
import { lists } from './lists/feature.ts'
import { mail } from './mail/feature.ts'
import { media } from './media/feature.ts'
import { miniApps } from './mini-apps/feature.ts'
import { mirror } from './mirror/feature.ts'
import { moderation } from './moderation/feature.ts'
import { moderationRecords } from './moderation-records/feature.ts'
import { mutes } from './mutes/feature.ts'
import { operations } from './operations/feature.ts'
import { platform } from './platform/feature.ts'
import { polls } from './polls/feature.ts'
import { push } from './push/feature.ts'
import { recovery } from './recovery/feature.ts'
import { registration } from './registration/feature.ts'
import { registry } from './registry/feature.ts'
import { relay } from './relay/feature.ts'
import { sealedKeys } from './sealed-keys/feature.ts'
import { search } from './search/feature.ts'
import { serverFace } from './server-face/feature.ts'
import { signIn } from './sign-in/feature.ts'
import { signers } from './signers/feature.ts'
import { snaps } from './snaps/feature.ts'
import { starterPacks } from './starter-packs/feature.ts'
import { translation } from './translation/feature.ts'
import { web } from './web/feature.ts'
import { webhooks } from './webhooks/feature.ts'

/**
 * All features, in the order in which a server starts them: one that asks another at its start stands below it. To take one out, take
 * its line out, and those of the features that need it.
 */
export const FEATURES = [
  moderationRecords,
  invites,
  mirror,
  fork,
  relay,
  registry,
  platform,
  channels,
  actions,
  blocks,
  addresses,
  starterPacks,
  badges,
  keyRequests,
  media,
  serverFace,
  joining,
  web,
  signIn,
  sealedKeys,
  appApi,
  search,
  signers,
  mutes,
  bookmarks,
  lists,
  languages,
  translation,
  push,
  mail,
  webhooks,
  registration,
  recovery,
  miniApps,
  snaps,
  polls,
  moderation,
  archives,
  backups,
  exports,
  operations,
] as const
