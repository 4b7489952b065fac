import { t } from '../../shared/messages.ts'
import { listText } from '../../shared/text.ts'

const COUNT = 12

/**
 * The 12 words that somebody has typed, written down with numbers or pasted in lines, as they are kept. Throws an error that names
 * words by their place: they are secret, so that they are repeated nowhere.
 */
export async function readTypedWords(text: string): Promise<string> {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  const { wordlist } = await import('@scure/bip39/wordlists/english')
  const known = new Set(wordlist)
  const unknown = words.flatMap((word, at) => (known.has(word) ? [] : at + 1))
  if (words.length !== COUNT) {
    throw new Error(
      t(
        '{count, plural, one {This is # word, and 12 are needed. Separate them by spaces.} other {These are # words, and 12 are needed. Separate them by spaces.}}',
        { count: words.length },
      ),
    )
  }
  if (unknown.length === 0) return words.join(' ')
  throw new Error(
    t(
      '{count, plural, one {Word {unknown} is none of those that such words are taken from. Check its letters.} other {Words {listed} are none of those that such words are taken from. Check their letters.}}',
      { unknown: unknown[0] ?? '', listed: listText(unknown.map(String)), count: unknown.length },
    ),
  )
}
