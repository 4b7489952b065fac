const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Characters that XML does not allow, even escaped: most control characters and two non-characters. */
const NOT_XML = /(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu

/** Escapes untrusted text for HTML and XML, also inside quoted attributes. */
export const escapeMarkup = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_XML, '')
    .replace(/[&<>"']/g, (one) => ESCAPES[one]!)
