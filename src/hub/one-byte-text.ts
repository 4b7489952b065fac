/**
 * The UTF-8 bytes of a text, as a string with one character for each byte. Such strings take one byte of memory a
 * character, have no object of their own outside of the heap as small Buffers do, and are joined at memory speed.
 */
export type OneByteText = string & { readonly isOneByteText: true }

export const oneByteText = (text: string): OneByteText =>
  Buffer.from(text).toString('latin1') as OneByteText

/** Lists of such texts with a comma between each two, and ASCII texts before and after them, one after the other. */
export function joinList(
  before: string,
  items: readonly (readonly OneByteText[])[],
  after: string,
): readonly OneByteText[] {
  const texts = [before]
  for (const [i, item] of items.entries()) {
    if (i > 0) texts.push(',')
    texts.push(...item)
  }
  texts.push(after)
  return texts as OneByteText[]
}
