import assert from 'node:assert/strict'
import { lazy } from '../base/concurrency.ts'
import type { Engine } from './engines/engine.ts'
import type { Topic } from './engines/signals.ts'
import type { Sql } from './engines/sql.ts'
import type { Changes } from './engines/versions.ts'
import { nextPlatformId } from './locks.ts'
import { publishedEnvelopes } from './messages/envelopes.ts'
import { eventReader, eventWriter, publishedEventReader } from './messages/events.ts'
import { messageReader, messageWriter, publishedMessageReader } from './messages/messages.ts'
import { appIdemReader, appIdemWriter } from '../../features/app-api/tables/app-idems.ts'
import { appSignerReader, appSignerWriter } from '../../features/signers/tables/app-signers.ts'
import { appWebhookReader, appWebhookWriter } from '../../features/webhooks/tables/app-webhooks.ts'
import { metricSampleReader, metricSampleWriter } from '../../features/operations/tables/metric-samples.ts'
import { peopleReader } from '../../features/operations/tables/people.ts'
import { accountReader, accountWriter } from './tables/accounts.ts'
import { actionReader, actionWriter } from '../../features/actions/tables/actions.ts'
import { activityReader, activityWriter } from './tables/activity.ts'
import { appFidReader, appFidWriter } from '../../features/registration/tables/app-fids.ts'
import { appReader, appWriter } from './tables/apps.ts'
import { badgeReader, badgeWriter } from '../../features/badges/tables/badges.ts'
import { blockReader, blockWriter } from './tables/blocks.ts'
import { chainReader, chainWriter } from './tables/chain.ts'
import { channelReader, channelWriter } from '../../features/channels/tables/channels.ts'
import { mutedTermReader, mutedTermWriter } from '../../features/mutes/tables/muted-terms.ts'
import { pushReader, pushWriter } from '../../features/push/tables/pushes.ts'
import { serverTextReader, serverTextWriter } from '../../features/server-face/tables/server-texts.ts'
import { staffReader, staffWriter } from '../../features/moderation/tables/staff.ts'
import { cursorReader, cursorWriter } from './tables/cursors.ts'
import { gaslessKeyReader, gaslessKeyWriter } from './tables/gasless-keys.ts'
import { inviteReader, inviteWriter } from './tables/invites.ts'
import { keyRequestReader, keyRequestWriter } from '../../features/key-requests/tables/key-requests.ts'
import { leaseReader, leaseWriter } from './tables/leases.ts'
import { ledgerReader, ledgerWriter } from './tables/ledger.ts'
import { linkedAccountReader } from './tables/linked-accounts.ts'
import { mediaReader, mediaWriter } from '../../features/media/tables/media.ts'
import {
  miniAppCampaignReader,
  miniAppCampaignWriter,
} from '../../features/mini-apps/tables/mini-app-campaigns.ts'
import {
  miniAppDeliveryReader,
  miniAppDeliveryWriter,
} from '../../features/mini-apps/tables/mini-app-deliveries.ts'
import { miniAppNoticeReader, miniAppNoticeWriter } from '../../features/mini-apps/tables/mini-app-notices.ts'
import { miniAppUserReader, miniAppUserWriter } from '../../features/mini-apps/tables/mini-app-users.ts'
import { miniAppReader, miniAppWriter } from '../../features/mini-apps/tables/mini-apps.ts'
import { mirrorReader, mirrorWriter } from './tables/mirror/mirror.ts'
import { mirrorContextReader, mirrorContextWriter } from './tables/mirror/mirror-context.ts'
import { mirrorNameReader, mirrorNameWriter } from './tables/mirror/mirror-names.ts'
import { moderationReader, moderationWriter } from './tables/moderation.ts'
import { nameProofReader, nameProofWriter } from './tables/name-proofs.ts'
import { nameTransferReader, nameTransferWriter } from '../../features/registry/tables/name-transfers.ts'
import { quotaReader, quotaWriter } from './tables/quotas.ts'
import { relayReader, relayWriter } from '../../features/relay/tables/relays.ts'
import { recoveryReader, recoveryWriter } from '../../features/recovery/tables/recoveries.ts'
import { sealedKeyReader, sealedKeyWriter } from '../../features/sealed-keys/tables/sealed-keys.ts'
import { signInReader, signInWriter } from '../../features/sign-in/tables/sign-in.ts'
import { starterPackReader, starterPackWriter } from '../../features/starter-packs/tables/starter-packs.ts'
import { storageLendReader, storageLendWriter } from './tables/storage-lends.ts'
import { TABLES } from './tables/tables.ts'

/** All reads, by group of queries. Outside a transaction they see only committed rows. */
export type Reader = Readonly<ReturnType<typeof reader>>

/** All writes. It exists only inside `Storage.write`. */
export type Writer = Readonly<TransactionWriter>

export function reader(sql: Sql) {
  return {
    messages: messageReader(sql),
    events: eventReader(sql),
    /** `messages` and `events` without hidden content. */
    published: publishedReader(sql),
    accounts: accountReader(sql),
    nameProofs: nameProofReader(sql),
    nameTransfers: nameTransferReader(sql),
    ledger: ledgerReader(sql),
    cursors: cursorReader(sql),
    channels: channelReader(sql),
    blocks: blockReader(sql),
    linkedAccounts: linkedAccountReader(sql),
    starterPacks: starterPackReader(sql),
    actions: actionReader(sql),
    invites: inviteReader(sql),
    keyRequests: keyRequestReader(sql),
    badges: badgeReader(sql),
    chain: chainReader(sql),
    relays: relayReader(sql),
    leases: leaseReader(sql),
    gaslessKeys: gaslessKeyReader(sql),
    storageLends: storageLendReader(sql),
    quotas: quotaReader(sql),
    mirror: mirrorReader(sql),
    mirrorContext: mirrorContextReader(sql),
    mirrorNames: mirrorNameReader(sql),
    moderation: moderationReader(sql),
    media: mediaReader(sql),
    miniApps: miniAppReader(sql),
    miniAppUsers: miniAppUserReader(sql),
    miniAppNotices: miniAppNoticeReader(sql),
    miniAppDeliveries: miniAppDeliveryReader(sql),
    miniAppCampaigns: miniAppCampaignReader(sql),
    mutedTerms: mutedTermReader(sql),
    pushes: pushReader(sql),
    staff: staffReader(sql),
    serverTexts: serverTextReader(sql),
    apps: appReader(sql),
    appIdems: appIdemReader(sql),
    appSigners: appSignerReader(sql),
    appFids: appFidReader(sql),
    appWebhooks: appWebhookReader(sql),
    activity: activityReader(sql),
    sealedKeys: sealedKeyReader(sql),
    recoveries: recoveryReader(sql),
    metricSamples: metricSampleReader(sql),
    people: peopleReader(sql),
    signIn: signInReader(sql),
  }
}

const publishedReader = (sql: Sql) => ({
  messages: publishedMessageReader(sql),
  envelopes: publishedEnvelopes(sql),
  events: publishedEventReader(sql),
})

type WriterTerms = {
  readonly sql: Sql
  readonly newestId: number | undefined
  readonly engine: Engine
  readonly changes: Changes<Topic>
}

export class TransactionWriter extends lazy({
  messages: ({ sql, engine, changes }: WriterTerms) =>
    messageWriter(sql, engine, (fid) => changes.authors.add(fid)),
  events: ({ sql, changes }) => eventWriter(sql, () => changes.topics.add('events')),
  published: ({ sql }) => publishedReader(sql),
  accounts: ({ sql }) => accountWriter(sql),
  nameProofs: ({ sql }) => nameProofWriter(sql),
  nameTransfers: ({ sql }) => nameTransferWriter(sql),
  ledger: ({ sql }) => ledgerWriter(sql),
  cursors: ({ sql }) => cursorWriter(sql),
  channels: ({ sql }) => channelWriter(sql),
  blocks: ({ sql }) => blockWriter(sql),
  linkedAccounts: ({ sql }) => linkedAccountReader(sql),
  starterPacks: ({ sql }) => starterPackWriter(sql),
  actions: ({ sql }) => actionWriter(sql),
  invites: ({ sql }) => inviteWriter(sql),
  keyRequests: ({ sql, changes }) =>
    keyRequestWriter(sql, () => changes.topics.add('key requests')),
  activity: ({ sql }) => activityWriter(sql),
  sealedKeys: ({ sql }) => sealedKeyWriter(sql),
  recoveries: ({ sql }) => recoveryWriter(sql),
  metricSamples: ({ sql }) => metricSampleWriter(sql),
  people: ({ sql }) => peopleReader(sql),
  signIn: ({ sql }) => signInWriter(sql),
  badges: ({ sql }) => badgeWriter(sql),
  chain: ({ sql }) => chainWriter(sql),
  relays: ({ sql }) => relayWriter(sql),
  leases: ({ sql }) => leaseWriter(sql),
  gaslessKeys: ({ sql }) => gaslessKeyWriter(sql),
  storageLends: ({ sql }) => storageLendWriter(sql),
  quotas: ({ sql }) => quotaWriter(sql),
  mirror: ({ sql }) => mirrorWriter(sql),
  mirrorContext: ({ sql }) => mirrorContextWriter(sql),
  mirrorNames: ({ sql }) => mirrorNameWriter(sql),
  moderation: ({ sql, changes }) =>
    moderationWriter(sql, () => {
      changes.concernsEverybody = true
    }),
  media: ({ sql }) => mediaWriter(sql),
  miniApps: ({ sql }) => miniAppWriter(sql),
  miniAppUsers: ({ sql }) => miniAppUserWriter(sql),
  miniAppNotices: ({ sql }) => miniAppNoticeWriter(sql),
  miniAppDeliveries: ({ sql }) => miniAppDeliveryWriter(sql),
  miniAppCampaigns: ({ sql }) => miniAppCampaignWriter(sql),
  mutedTerms: ({ sql }) => mutedTermWriter(sql),
  pushes: ({ sql }) => pushWriter(sql),
  staff: ({ sql }) => staffWriter(sql),
  serverTexts: ({ sql }) => serverTextWriter(sql),
  apps: ({ sql }) => appWriter(sql),
  appIdems: ({ sql }) => appIdemWriter(sql),
  appSigners: ({ sql }) => appSignerWriter(sql),
  appFids: ({ sql }) => appFidWriter(sql),
  appWebhooks: ({ sql }) => appWebhookWriter(sql),
}) {
  readonly #terms: WriterTerms

  constructor(terms: WriterTerms) {
    super(terms)
    this.#terms = terms
  }

  /** The newest id given under this lock: of an event, a transfer of a name. */
  get newestId(): number {
    const { newestId } = this.#terms
    assert(newestId !== undefined, 'no ids are given under a part of the platform')
    return newestId
  }

  /**
   * Deletes and empties what the tables declare of an account, `limit` rows of each at most. Returns whether nothing is left.
   */
  async eraseRows(fid: number, limit: number): Promise<boolean> {
    const context = { sql: this.#terms.sql, nextPlatformId: () => this.nextPlatformId() }
    for (const table of TABLES) {
      if ((await table.erase(context, fid, limit)) >= limit) return false
    }
    return true
  }

  /** The next version of channels or id of a moderation. Others wait for it until this transaction ends. */
  nextPlatformId(): Promise<number> {
    const { sql, engine } = this.#terms
    return nextPlatformId(sql, engine)
  }
}
