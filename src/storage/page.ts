// Keyset pages: a page ends at a row, and the next page begins strictly after that row in the list's
// order, whatever was added or removed meanwhile. The token is that row's sort key.

export const MAX_PAGE_SIZE = 1_000

export type PageRequest = {
  /** 1 ... MAX_PAGE_SIZE. */
  readonly size: number
  /** The token of the page before, or undefined for the first page. */
  readonly token?: Uint8Array | undefined
  readonly reverse?: boolean | undefined
}

export type Page<T> = {
  readonly items: T[]
  /** Where the next page begins; undefined exactly when nothing is left. */
  readonly next: Uint8Array | undefined
}

/**
 * Makes a page of rows that were read with one row more than the page takes, so that the last page
 * is known as such.
 */
export function pageOf<T>(rows: T[], size: number, tokenOf: (row: T) => Uint8Array): Page<T> {
  if (rows.length <= size) return { items: rows, next: undefined }
  const items = rows.slice(0, size)
  return { items, next: tokenOf(items.at(-1) as T) }
}
