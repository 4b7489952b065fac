import type { Accounts } from '../../kernel/accounts/port.ts'
import type { Clock } from '../../kernel/base/clock.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Reader, Storage, Writer } from '../../kernel/storage/storage.ts'
import { channelRows, STORED_CHANNEL_ID, type StoredChannel } from './tables/channels.ts'

/** The dependencies of the channel operations. */
export type ChannelContext = {
  readonly storage: Storage
  readonly accounts: Pick<Accounts, 'custodyOf'>
  readonly clock: Clock
  readonly settings: {
    /** The default url of a new channel is this prefix followed by its id. */
    readonly channelUrlBase: string
    /** The number of channels that one fid may create. */
    readonly channelsPerFid: number
    /** The number of channels that all users together may create. */
    readonly maxChannels: number
  }
  /** Unix seconds. */
  now(): number
}

/** Finds a channel by a text that may not be a valid id. Throws a Rejection when there is none. */
export async function getChannel({ of }: Pick<Reader, 'of'>, id: string): Promise<StoredChannel> {
  const channel = STORED_CHANNEL_ID.test(id) ? await of(channelRows).byId(id) : undefined
  if (!channel) throw new Rejection('not_found', `Channel ${id} does not exist`)
  return channel
}

/**
 * The version of the rows that a transaction is about to change, and the new version of the list of all channels.
 * To be called once in a transaction, after everything that can wait: from here on other channels wait for it.
 */
export const nextVersion = (tx: Writer): Promise<number> =>
  tx.of(channelRows).nextVersion(() => tx.nextPlatformId())
