/** Signed key requests and the credits of sponsors. */
export const KEY_REQUEST_TABLES: string[] = []
