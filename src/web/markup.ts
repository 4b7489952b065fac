const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** What XML allows in no form: most control characters, halves of surrogate pairs, and two non-characters. */
const NOT_XML = /(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu

/** Text of strangers as text of HTML and XML, also inside quoted attributes. */
export const escapeMarkup = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_XML, '')
    .replace(/[&<>"']/g, (one) => ESCAPES[one]!)
