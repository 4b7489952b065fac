/** Ids of stored channels. The deployed network has older ids with capitals, which only an import may bring in. */
export const STORED_CHANNEL_ID = /^[0-9A-Za-z][0-9A-Za-z-]{0,15}$/
