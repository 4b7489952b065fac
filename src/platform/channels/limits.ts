// Every bound of channels, and what their texts may be.

/** As the deployed platform declares it. */
export const CHANNEL_ID = /^[0-9a-z][0-9a-z-]{0,15}$/
/** The deployed network has ids from before that rule, with capitals. They come in by import only. */
export const STORED_CHANNEL_ID = /^[0-9A-Za-z][0-9A-Za-z-]{0,15}$/

export const MAX_NAME_CHARACTERS = 32
export const MAX_DESCRIPTION_CHARACTERS = 1_000
/** Of images and links. */
export const MAX_LINK_CHARACTERS = 512
export const MAX_LINK_TITLE_CHARACTERS = 64
/** The parent url of a cast is no longer. */
export const MAX_URL_BYTES = 256
/** Those who have accepted and those who are asked. */
export const MAX_MODERATORS = 10
/** Steps from a reply up to the cast that begins its thread. */
export const MAX_CAST_DEPTH = 200
/** Calls about invites an hour, of one caller for one channel. */
export const MAX_INVITE_CALLS = 100
/** Lines of one portion of an import, and of an export. */
export const MAX_BATCH_RECORDS = 500
/** Ids that the operator reserves or frees in one call. */
export const MAX_RESERVED_IDS = 1_000
