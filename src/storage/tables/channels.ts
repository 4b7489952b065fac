/** Channels, who follows them, and what their owners and moderators decided. */
export const CHANNEL_TABLES: string[] = []
