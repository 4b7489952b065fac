const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{Mn}+/gu
const FINAL_SIGMA = /ς/g

/** Without what searches and followed tags do not tell apart: case, accents, and forms of the same letter. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(ACCENTED, '$1')
    .normalize('NFC')
    .toLowerCase()
    // Lower case letters may have marks of their own, for instance that of a dotted capital I.
    .replace(ACCENTED, '$1')
    .replace(FINAL_SIGMA, 'σ')
