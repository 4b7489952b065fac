/**
 * The UTF-8 bytes of a text, as a string with one character for each byte. Such strings take one byte of memory a
 * character, have no object of their own outside of the heap as small Buffers do, and are joined at memory speed.
 */
export type OneByteText = string & { readonly isOneByteText: true }

export const oneByteText = (text: string): OneByteText =>
  Buffer.from(text).toString('latin1') as OneByteText
