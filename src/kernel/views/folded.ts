/** Scripts in which marks are accents or vowels that people leave out. */
const ACCENTED =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{Mn}+/gu
/** Letters that keyboards of other languages lack, and forms of one letter: each is found as the plain one. */
const ALIKE: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ħ: 'h', þ: 'th', ı: 'i', ς: 'σ' },
  // Arabic and Persian write yeh, kaf and heh with letters of their own.
  ...{ ى: 'ي', ی: 'ي', ک: 'ك', ة: 'ه', ٱ: 'ا' },
}
const ALIKE_LETTERS = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'gu')
/** Tatweel only stretches a word, and the others join letters or keep them apart within one. */
const JOINERS = /[\u0640\u200c\u200d]/g
const KATAKANA = /[ァ-ヶ]/g
const KANA_DISTANCE = 0x60
/** The digits of other scripts, of which each has ten in a row. */
const DIGITS = /[٠-٩۰-۹०-९০-৯๐-๙]/g
const DIGIT_ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50]

/** Without what searches and followed tags do not tell apart: case, accents, and forms of the same letter. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(JOINERS, '')
    .replace(ACCENTED, '$1')
    .normalize('NFC')
    .toLowerCase()
    // Lower case letters may have marks of their own, for instance that of a dotted capital I.
    .replace(ACCENTED, '$1')
    .replace(ALIKE_LETTERS, (letter) => ALIKE[letter]!)
    .replace(KATAKANA, (kana) => String.fromCharCode(kana.charCodeAt(0) - KANA_DISTANCE))
    .replace(DIGITS, (digit) => {
      const code = digit.charCodeAt(0)
      return String(code - DIGIT_ZEROS.findLast((zero) => zero <= code)!)
    })
