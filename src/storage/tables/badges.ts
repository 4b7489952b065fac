/** Power badges: each set that was computed, and whom the operator adds or excludes. */
export const BADGE_TABLES: string[] = []
