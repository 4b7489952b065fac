/** Control characters, bidirectional overrides and invisible characters. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be kept
  /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]+/g

/** A text of a third party on one line, as people see it. */
export const visibleText = (text: string): string => text.toWellFormed().replace(UNSEEN, ' ').trim()
