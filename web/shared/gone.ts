/** Statuses of a proxy before a server that is not there. */
export const GONE: readonly number[] = [502, 503, 504]
