import { JsonBytes, jsonPart } from '../protocol/json-bytes.ts'

/** The memory in which all lists of a thread are written, so nothing may be awaited while one is written. */
export const listOut = new JsonBytes()

const COMMA = jsonPart(',')

/**
 * What `write` writes to `listOut` for each item, with a comma between each two, and ASCII texts before and after them.
 */
export function writeList<T>(
  before: string,
  items: readonly T[],
  write: (item: T) => void,
  after: string,
): Uint8Array {
  listOut.clear()
  listOut.oneByteText(before)
  for (let i = 0; i < items.length; i++) {
    if (i > 0) listOut.part(COMMA)
    write(items[i]!)
  }
  listOut.oneByteText(after)
  return Buffer.from(listOut.written)
}
