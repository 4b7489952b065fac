import assert from 'node:assert/strict'
import { lazy } from '../base/concurrency.ts'
import type { Engine } from './engines/engine.ts'
import { preferringReplica } from './engines/replica-reader.ts'
import type { Topic } from './engines/signals.ts'
import type { Sql } from './engines/sql.ts'
import type { Changes } from './engines/versions.ts'
import { type Locking, nextPlatformId } from './locks.ts'
import { publishedEnvelopes } from './messages/envelopes.ts'
import { eventReader, eventWriter, publishedEventReader } from './messages/events.ts'
import { messageReader, messageWriter, publishedMessageReader } from './messages/messages.ts'
import { madeOnce, type ReadsRows, type Rows } from './rows.ts'
import { accountReader, accountWriter } from './tables/accounts.ts'
import { activityReader, activityWriter } from './tables/activity.ts'
import { appReader, appWriter } from './tables/apps.ts'
import { blockReader, blockWriter } from './tables/blocks.ts'
import { chainReader, chainWriter } from './tables/chain.ts'
import { cursorReader, cursorWriter } from './tables/cursors.ts'
import { gaslessKeyReader, gaslessKeyWriter } from './tables/gasless-keys.ts'
import { leaseReader, leaseWriter } from './tables/leases.ts'
import { ledgerReader, ledgerWriter } from './tables/ledger.ts'
import { linkedAccountReader } from './tables/linked-accounts.ts'
import { moderationReader, moderationWriter } from './tables/moderation.ts'
import { nameProofReader, nameProofWriter } from './tables/name-proofs.ts'
import { quotaReader, quotaWriter } from './tables/quotas.ts'
import type { Schema } from './tables/schema.ts'
import { storageLendReader, storageLendWriter } from './tables/storage-lends.ts'

/** All reads, by group of queries. Outside a transaction they see only committed rows. */
export type Reader = Readonly<ReturnType<typeof kernelReader>> & ReadsRows

/** All writes. It exists only inside `Storage.write`. */
export type Writer = Readonly<TransactionWriter>

export const reader = (sql: Sql): Reader => ({
  ...kernelReader(sql),
  of: madeOnce((rows) => rows.reader(sql)) as Reader['of'],
})

/** The reads of a standby, repeated on the primary where it finds nothing. */
export const replicaReader = (primary: Sql, replica: Sql): Reader => ({
  ...preferringReplica(kernelReader(primary), kernelReader(replica)),
  of: madeOnce(({ reader: made }) =>
    preferringReplica(made(primary) as object, made(replica) as object),
  ) as Reader['of'],
})

function kernelReader(sql: Sql) {
  return {
    messages: messageReader(sql),
    events: eventReader(sql),
    /** `messages` and `events` without hidden content. */
    published: publishedReader(sql),
    accounts: accountReader(sql),
    nameProofs: nameProofReader(sql),
    ledger: ledgerReader(sql),
    cursors: cursorReader(sql),
    blocks: blockReader(sql),
    linkedAccounts: linkedAccountReader(sql),
    chain: chainReader(sql),
    leases: leaseReader(sql),
    gaslessKeys: gaslessKeyReader(sql),
    storageLends: storageLendReader(sql),
    quotas: quotaReader(sql),
    moderation: moderationReader(sql),
    apps: appReader(sql),
    activity: activityReader(sql),
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
  readonly locking: Locking
  /** Undefined in a thread that joined without one: it cannot erase. */
  readonly schema: Schema | undefined
  readonly changes: Changes<Topic>
}

export class TransactionWriter extends lazy({
  messages: ({ sql, engine, changes }: WriterTerms) => messageWriter(sql, engine, changes),
  events: ({ sql, changes }) => eventWriter(sql, () => changes.topics.add('events')),
  published: ({ sql }) => publishedReader(sql),
  accounts: ({ sql }) => accountWriter(sql),
  nameProofs: ({ sql }) => nameProofWriter(sql),
  ledger: ({ sql }) => ledgerWriter(sql),
  cursors: ({ sql }) => cursorWriter(sql),
  blocks: ({ sql }) => blockWriter(sql),
  linkedAccounts: ({ sql }) => linkedAccountReader(sql),
  activity: ({ sql }) => activityWriter(sql),
  chain: ({ sql }) => chainWriter(sql),
  leases: ({ sql }) => leaseWriter(sql),
  gaslessKeys: ({ sql }) => gaslessKeyWriter(sql),
  storageLends: ({ sql }) => storageLendWriter(sql),
  quotas: ({ sql }) => quotaWriter(sql),
  moderation: ({ sql, changes }) =>
    moderationWriter(sql, () => {
      changes.concernsEverybody = true
    }),
  apps: ({ sql }) => appWriter(sql),
}) {
  readonly #terms: WriterTerms
  /** The writes of a feature's tables. */
  readonly of: <R, W extends R>(rows: Rows<R, W>) => W

  constructor(terms: WriterTerms) {
    super(terms)
    this.#terms = terms
    this.of = madeOnce((rows) => rows.writer(terms)) as typeof this.of
  }

  /** The newest id given under this lock, such as that of an event. */
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
    assert(this.#terms.schema, 'a thread that joined without the schema erases nothing')
    for (const table of this.#terms.schema.tables) {
      if ((await table.erase(context, fid, limit)) >= limit) return false
    }
    return true
  }

  /** The next id of the platform. Others wait for it until this transaction ends. */
  nextPlatformId(): Promise<number> {
    const { sql, locking } = this.#terms
    return nextPlatformId(sql, locking)
  }
}
