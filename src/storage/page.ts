// Keyset pagination: the next page begins strictly after the last row of a page in the list's order, whatever was
// added or removed meanwhile. The token is the sort key of that row.

export const MAX_PAGE_SIZE = 1_000

export type PageRequest = {
  /** 1 ... MAX_PAGE_SIZE. */
  readonly size: number
  /** The token of the previous page; undefined for the first page. */
  readonly token?: Uint8Array | undefined
  readonly reverse?: boolean | undefined
}

export type Page<T> = {
  readonly items: T[]
  /** The token of the next page; undefined exactly on the last page. */
  readonly next: Uint8Array | undefined
}

/**
 * Makes a page of rows. The caller reads one row more than the page holds, so that the last page is recognized.
 */
export function pageOf<T>(rows: T[], size: number, tokenOf: (row: T) => Uint8Array): Page<T> {
  if (rows.length <= size) return { items: rows, next: undefined }
  const items = rows.slice(0, size)
  return { items, next: tokenOf(items.at(-1) as T) }
}
