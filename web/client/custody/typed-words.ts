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
    const count = words.length === 1 ? 'This is 1 word' : `These are ${words.length} words`
    throw new Error(`${count}, and 12 are needed. Separate them by spaces.`)
  }
  if (unknown.length === 0) return words.join(' ')
  throw new Error(
    unknown.length === 1
      ? `Word ${unknown[0]} is none of those that such words are taken from. Check its letters.`
      : `Words ${listed(unknown)} are none of those that such words are taken from. Check their letters.`,
  )
}

const listed = (places: readonly number[]): string =>
  `${places.slice(0, -1).join(', ')} and ${places.at(-1)}`
