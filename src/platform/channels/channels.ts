import type { StoredChannel } from '../../storage/tables/channels.ts'
import { type AllChannels, AllChannelsReader } from './all-channels.ts'
import { type Casts, createCasts } from './casts.ts'
import { type ChannelContext, getChannel } from './context.ts'
import { createEdits, type Edits } from './edits.ts'
import { createFollows, type Follows } from './follows.ts'
import { createImportExport } from './import-export.ts'
import { createRoles, type Roles } from './roles.ts'

/** All operations on channels, of users, moderators and the operator. */
export type Channels = Edits &
  Follows &
  Roles &
  Casts &
  ReturnType<typeof createImportExport> & {
    all(): Promise<AllChannels>
    /** Throws a Rejection when the channel does not exist. */
    get(id: string): Promise<StoredChannel>
    /** Reserves ids, so that users cannot create channels with them. */
    reserve(ids: readonly string[]): Promise<void>
    unreserve(ids: readonly string[]): Promise<void>
  }

export function createChannels(context: ChannelContext): Channels {
  const { storage } = context
  return {
    ...createEdits(context),
    ...createFollows(context),
    ...createRoles(context),
    ...createCasts(context),
    ...createImportExport(context),
    all: new AllChannelsReader(storage).read,
    get: (id) => getChannel(storage, id),
    reserve: (ids) => storage.write('all/channels', (tx) => tx.channels.reserve([...new Set(ids)])),
    unreserve: (ids) => storage.write('all/channels', (tx) => tx.channels.unreserve(ids)),
  }
}
