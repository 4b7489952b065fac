/**
 * In small letters that are the same in each language (Turkish has two kinds of i), and without accents, which not everybody types.
 * Marks of other scripts stay: か and が are two letters.
 */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ı', 'i')

/** Whether each word of what was typed is in a text. */
export const hasWords = (typed: string, text: string): boolean => {
  const whole = plain(text)
  return plain(typed)
    .split(/\s+/)
    .every((word) => whole.includes(word))
}
