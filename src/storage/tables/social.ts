/** Blocks, actions and who has installed them. */
export const SOCIAL_TABLES: string[] = []
