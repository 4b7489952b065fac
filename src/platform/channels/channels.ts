import type { StoredChannel } from '../../storage/channels.ts'
import { type AllChannels, allChannelsReader } from './all-channels.ts'
import { type Casts, createCasts } from './casts.ts'
import { type ChannelContext, getChannel } from './context.ts'
import { createEdits, type Edits } from './edits.ts'
import { createFollows, type Follows } from './follows.ts'
import { createImportExport } from './import-export.ts'
import { createRoles, type Roles } from './roles.ts'

/** Everything about channels that users, their moderators and the operator do. */
export type Channels = Edits &
  Follows &
  Roles &
  Casts &
  ReturnType<typeof createImportExport> & {
    all(): Promise<AllChannels>
    /** Throws a Rejection when there is none. */
    get(id: string): Promise<StoredChannel>
    /** For ids that users may not take. */
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
    all: allChannelsReader(storage),
    get: (id) => getChannel(storage, id),
    reserve: (ids) => storage.write('platform', (tx) => tx.channels.reserve([...new Set(ids)])),
    unreserve: (ids) => storage.write('platform', (tx) => tx.channels.unreserve(ids)),
  }
}
