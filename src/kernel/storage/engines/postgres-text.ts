// PostgreSQL's strings hold every character but U+0000, which urls and texts of messages may contain and the embedded store
// keeps. It is written as two characters, of which the first is a code point that Unicode assigns to no character, ever.
// That code point itself is doubled, so every text has one form and equal texts have equal forms.

const ESCAPE = '\ufdd0'
const NUL = '\0'
const NUL_AFTER_ESCAPE = '0'

const TO_WRITE = new RegExp(`[${NUL}${ESCAPE}]`, 'g')
const WRITTEN = new RegExp(`${ESCAPE}([${NUL_AFTER_ESCAPE}${ESCAPE}])`, 'g')

/** The form in which PostgreSQL stores a text, and compares it. */
export function writtenText(text: string): string {
  if (!text.includes(NUL) && !text.includes(ESCAPE)) return text
  return text.replace(TO_WRITE, (found) => ESCAPE + (found === NUL ? NUL_AFTER_ESCAPE : ESCAPE))
}

/** The text that was stored. */
export function readText(written: string): string {
  if (!written.includes(ESCAPE)) return written
  return written.replace(WRITTEN, (_, second) => (second === NUL_AFTER_ESCAPE ? NUL : ESCAPE))
}
