/**
 * The UTF-8 bytes of a text, as a string with one character for each byte. Such strings take one byte of memory a
 * character, have no object of their own outside of the heap as small Buffers do, and are joined at memory speed.
 */
export type OneByteText = string & { readonly isOneByteText: true }

export const oneByteText = (text: string): OneByteText =>
  Buffer.from(text).toString('latin1') as OneByteText

/** The bytes of such texts and of ASCII texts, one after the other. */
export function bytesOfTexts(texts: readonly string[]): Buffer {
  let length = 0
  for (const text of texts) length += text.length
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  for (const text of texts) at += bytes.write(text, at, 'latin1')
  return bytes
}

/** The same with a comma between each two of some lists of texts. */
export const withCommas = (lists: readonly (readonly string[])[]): string[] =>
  lists.flatMap((texts, i) => (i === 0 ? texts : [',', ...texts]))
