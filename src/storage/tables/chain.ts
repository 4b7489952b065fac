/** How far a chain is followed. */
export const CHAIN_TABLES: string[] = []
