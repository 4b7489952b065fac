// Keyset pagination: the next page begins strictly after the last row of a page in the list's order, also when rows were
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
 * A page ends after the row with which its rows reach this many stored bytes, so that an answer is bounded
 * in bytes. A page of 1,000 casts of the usual length is two thirds of this. JSON has up to six bytes for one
 * stored byte (control characters), mostly two.
 */
export const MAX_PAGE_BYTES = 512 * 1024

/**
 * Makes a page of rows. The caller reads one row more than the page holds, so that the last page is
 * recognized. `bytesOf` is the stored size of a row; without it rows are small and only counted.
 */
export function pageOf<T>(
  rows: T[],
  size: number,
  tokenOf: (row: T) => Uint8Array,
  bytesOf?: (row: T) => number,
): Page<T> {
  const fitting = bytesOf ? Math.min(size, rowsWithin(rows, bytesOf)) : size
  if (rows.length <= fitting) return { items: rows, next: undefined }
  const items = rows.slice(0, fitting)
  return { items, next: tokenOf(items.at(-1) as T) }
}

/** How many rows, from the first one on, a page holds by its bound in bytes: at least one. */
function rowsWithin<T>(rows: readonly T[], bytesOf: (row: T) => number): number {
  let bytes = 0
  const last = rows.findIndex((row) => {
    bytes += bytesOf(row)
    return bytes >= MAX_PAGE_BYTES
  })
  return last === -1 ? rows.length : last + 1
}
