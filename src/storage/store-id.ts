import { randomBytes } from 'node:crypto'

/** Names the data. Another one is stored with a reset, so that clients notice it. */
export const STORE_ID_CURSOR = 'store-id'
const BYTES = 16

export const newStoreId = (): string => randomBytes(BYTES).toString('hex')
