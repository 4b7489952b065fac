import { AllChannelsReader } from './all-channels.ts'
import { createCasts } from './casts.ts'
import { type ChannelContext, getChannel } from './context.ts'
import { createEdits } from './edits.ts'
import { createFollows } from './follows.ts'
import { createImportExport } from './import-export.ts'
import { createRoles } from './roles.ts'
import { channelRows } from './tables/channels.ts'

/** All operations on channels, of users, moderators and the operator. */
export type Channels = ReturnType<typeof channelOperations>

export function channelOperations(context: ChannelContext) {
  const { storage } = context
  return {
    ...createEdits(context),
    ...createFollows(context),
    ...createRoles(context),
    ...createCasts(context),
    ...createImportExport(context),
    all: new AllChannelsReader(storage).read,
    /** Throws a Rejection when the channel does not exist. */
    get: (id: string) => getChannel(storage, id),
    /** Reserves ids, so that users cannot create channels with them. */
    reserve: (ids: readonly string[]) =>
      storage.write('all/channels', (tx) => tx.of(channelRows).reserve([...new Set(ids)])),
    unreserve: (ids: readonly string[]) =>
      storage.write('all/channels', (tx) => tx.of(channelRows).unreserve(ids)),
  }
}
