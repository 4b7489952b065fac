/** Transactions that this server sends. */
export const RELAY_TABLES: string[] = []
