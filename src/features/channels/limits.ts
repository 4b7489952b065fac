// The bounds of channel operations. Those of the fields stand with the table (features/channels/tables/channels.ts).

/** Steps from a reply up to the root cast of its thread. */
export const MAX_CAST_DEPTH = 200
/** Invite calls per hour, by one caller for one channel. */
export const MAX_INVITE_CALLS = 100
/** Records in one batch of an import or an export. */
export const MAX_BATCH_RECORDS = 500
/** Bytes of the list of all channels: some hundred thousand channels of the usual size. */
export const MAX_ALL_CHANNELS_BYTES = 64 * 1024 * 1024
/** Ids that the operator reserves or releases in one call. */
export const MAX_RESERVED_IDS = 1_000
