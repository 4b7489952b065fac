import type { Accounts } from '../../accounts/port.ts'
import type { Clock } from '../../clock.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { STORED_CHANNEL_ID, type StoredChannel } from '../../storage/channels.ts'
import type { Reader, Storage, Writer } from '../../storage/storage.ts'

/** What channels work with. */
export type ChannelContext = {
  readonly storage: Storage
  readonly accounts: Pick<Accounts, 'custodyOf'>
  readonly clock: Clock
  readonly settings: {
    /** Where new channels that name no url of their own have theirs: this and their id. */
    readonly channelUrlBase: string
    /** How many channels one fid may create. */
    readonly channelsPerFid: number
  }
  /** Unix seconds. */
  now(): number
}

/** A channel, by any text that may be an id. */
export async function getChannel(
  { channels }: Pick<Reader, 'channels'>,
  id: string,
): Promise<StoredChannel> {
  const channel = STORED_CHANNEL_ID.test(id) ? await channels.byId(id) : undefined
  if (!channel) throw new Rejection('not_found', `Channel ${id} does not exist`)
  return channel
}

const CURSOR = 'channels'

/**
 * The version of what a transaction is about to change, and of the list of all channels with it. To be
 * asked for once in a transaction.
 */
export async function nextVersion(tx: Writer): Promise<number> {
  const version = tx.lockValue + 1
  const before = await tx.cursors.get(CURSOR)
  await tx.cursors.put(CURSOR, `${before?.split('-')[0] ?? version}-${version}`)
  await tx.setLockValue(version)
  return version
}

/** The first version since the store was empty, and the newest. Both are 0 while there are no channels. */
export async function readVersions(
  reader: Pick<Reader, 'cursors'>,
): Promise<{ first: number; newest: number }> {
  const [first = 0, newest = 0] = (await reader.cursors.get(CURSOR))?.split('-').map(Number) ?? []
  return { first, newest }
}
