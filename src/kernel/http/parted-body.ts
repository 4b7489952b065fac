/** Parts are at most about this long: a file of any size takes the memory of a few of them. */
export const PART_BYTES = 256 * 1024

/** A body that is read in parts, the next when its reader has taken the last. Nothing of it is read for HEAD and 304. */
export class PartedBody {
  /** Bytes of all parts, announced and charged before the first is read; undefined where they are made while they are sent. */
  readonly length: number | undefined
  /** Reads the parts in order. Throws before the first one for a body that cannot be read. */
  readonly open: () => AsyncGenerator<Uint8Array>

  constructor(length: number | undefined, open: () => AsyncGenerator<Uint8Array>) {
    this.length = length
    this.open = open
  }
}
