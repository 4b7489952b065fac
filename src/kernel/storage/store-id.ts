import { randomBytes } from 'node:crypto'

/** The id of the data. It changes with a reset, so that clients notice it. */
export const STORE_ID_CURSOR = 'store-id'
const BYTES = 16

export const newStoreId = (): string => randomBytes(BYTES).toString('hex')
