/**
 * The UTF-8 bytes of a text, as a string with one character for each byte. Such strings take one byte of memory a
 * character, have no object of their own outside of the heap as small Buffers do, and are joined at memory speed.
 */
export type OneByteText = string & { readonly isOneByteText: true }

export const oneByteText = (text: string): OneByteText =>
  Buffer.from(text).toString('latin1') as OneByteText

/** Such texts with a comma between each two, and ASCII texts before and after them, copied once. */
export function joinList(
  before: string,
  texts: readonly OneByteText[],
  after: string,
): OneByteText {
  const parts = [before]
  for (const [i, text] of texts.entries()) parts.push(i === 0 ? '' : ',', text)
  parts.push(after)
  return parts.join('') as OneByteText
}
