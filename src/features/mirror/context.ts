import type { AccountsModule } from '../../kernel/accounts/module.ts'
import type { Clock } from '../../kernel/base/clock.ts'
import type { Logger } from '../../kernel/http/logger.ts'
import type { Hub } from '../../kernel/hub/hub.ts'
import { checkLease, type LeaseTerm } from '../../kernel/jobs/job.ts'
import type { EventLog } from '../../kernel/storage/messages/event-log.ts'
import { EventLog as Log } from '../../kernel/storage/messages/event-log.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import type { MirrorMetrics } from './metrics.ts'
import type { SourceKind, SourcePort } from './source/source.ts'

/** The hub of this server, as far as it applies verified steps: the hub itself, or one on a store alone in unit tests. */
export type HubPort = Pick<Hub, 'mirror'>

/** What the parts of a mirror work with while this process is the leader. */
export type MirrorContext = {
  readonly storage: Storage
  readonly clock: Clock
  readonly hub: HubPort
  /** Undefined when accounts come from a chain, whose word counts. */
  readonly mergeAccounts: AccountsModule['mergeEvents'] | undefined
  /** Whether names come from the source; else from the registry that the settings name. */
  readonly takesNames: boolean
  readonly source: SourcePort
  readonly kind: SourceKind
  /** Streams of events; each fid has one where its messages are decided. */
  readonly shards: number
  readonly network: number
  /** Whether messages are believed whose key nobody vouches for. */
  readonly acceptsUnknownSigners: boolean
  /** The chain ids that events of accounts may have, besides the deployed one. */
  readonly chainId: number
  readonly checkDays: number
  /** The most parent casts that are read above a reply of a chosen person; 0 reads no context. */
  readonly contextDepth: number
  /** Milliseconds until a list is read again that would remove much. */
  readonly recheckMs: number
  readonly metrics: MirrorMetrics
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly lease: LeaseTerm | undefined
  readonly signal: AbortSignal
}

/** A small write that only the leader may do. Those that wait share a transaction, and may run again when one of them fails. */
export const writeAsLeader = <T>(
  { storage, clock, lease }: Pick<MirrorContext, 'storage' | 'clock' | 'lease'>,
  work: (tx: Writer, log: EventLog) => Promise<T>,
): Promise<T> =>
  storage.writeShared('hub', async (tx) => {
    if (lease) await checkLease(tx, lease)
    const log = new Log(tx, clock.now())
    const result = await work(tx, log)
    await log.flush()
    return result
  })

/** Nothing is mirrored any more until somebody acts: the text says why. */
export class MirrorStoppedError extends Error {
  override readonly name = 'MirrorStoppedError'
}
