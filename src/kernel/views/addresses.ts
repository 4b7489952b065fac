// What is an address in a text. The web client links it, and moderation compares its host. No imports: browsers load this file.

export type Address = {
  readonly start: number
  readonly end: number
  /** With a scheme, also where the text has none. */
  readonly address: string
}

/** Top-level names that people write without a scheme: of all countries but those that are mostly endings of files, and the usual others. */
const ENDINGS =
  '(?:a[cdefgilmoqrstuwxz]|b[abdefghijmnorstvwyz]|c[acdfghiklmnoruvwxyz]|d[ejkmoz]|e[cegrstu]|f[ijkmor]|g[abdefghilmnpqrstuwy]|h[kmnrtu]|i[delmnoqrst]|j[emop]|k[eghimnprwyz]|l[abcikrstuvy]|m[aceghklmnopqrstuvwxyz]|n[acefgilopruz]|om|p[aefghklmnrstw]|qa|r[eouw]|s[abcdegiklmnorstvxyz]|t[cdfghjklmnortvwz]|u[agksyz]|v[aceginu]|w[fs]|y[et]|z[amw]|com|org|net|edu|gov|mil|int|info|biz|name|app|dev|xyz|online|site|blog|shop|club|page|world|news|social|town|community|berlin|рф)'
const LABEL = '[\\p{L}\\p{N}-]+\\.'
const LETTERS = '\\p{L}\\p{N}\\p{M}_'
const REST = '[^\\s<>"\'`\\p{Cc}\\p{Cf}]'
const WITH_SCHEME = `https?://${REST}+`
const WITHOUT_SCHEME =
  `(?<![${LETTERS}.@/:#&=?-])(?:www\\.(?:${LABEL})+\\p{L}{2,}|(?:${LABEL})+${ENDINGS})` +
  `(?![${LETTERS}@-]|\\.[${LETTERS}])(?::\\d{2,5})?(?:[/?#]${REST}*)?`
const ADDRESSES = new RegExp(`${WITH_SCHEME}|${WITHOUT_SCHEME}`, 'giu')
/** Marks that end a sentence rather than an address. */
const TRAILING = new Set('.,;:!?)]}…')

export const addressesIn = (text: string): Address[] =>
  [...text.matchAll(ADDRESSES)].map(({ index, 0: match }) => {
    let { length } = match
    // No pattern: it would begin anew at each of many marks.
    while (TRAILING.has(match[length - 1]!)) length--
    const found = match.slice(0, length)
    const address = /^https?:/i.test(found) ? found : `https://${found}`
    return { start: index, end: index + length, address }
  })
