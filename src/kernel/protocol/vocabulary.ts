// How a server calls what its members write. The protocol calls it a cast, and passing it on a recast.

/** The words in their order: one, many, what one does; passing one on, many of that, and that somebody did it. */
export type Vocabulary = {
  readonly post: string
  readonly posts: string
  readonly verb: string
  readonly repost: string
  readonly reposts: string
  readonly reposted: string
}
const ORDER = ['post', 'posts', 'verb', 'repost', 'reposts', 'reposted'] as const

export const DEFAULT_VOCABULARY = 'post, posts, post, repost, reposts, reposted'
/** What the room of the operator offers. Others can be written there. */
export const VOCABULARIES = [
  DEFAULT_VOCABULARY,
  'cast, casts, cast, recast, recasts, recasted',
  'note, notes, post, share, shares, shared',
  'notice, notices, post, share, shares, shared',
  'message, messages, send, pass on, passed-on messages, passed on',
] as const

/** Characters of one word, so that buttons and headings keep their lines. */
const MAX_WORD_CHARACTERS = 24
/** No digits and nothing of markup; in a form that JSON Schema knows. */
const WORD = `[^\\s\\d,<>&"'][^\\d,<>&"\\x00-\\x1f]{0,${MAX_WORD_CHARACTERS - 1}}`
/** Six words as a regular expression, for documents. */
export const VOCABULARY = ORDER.map(() => `(${WORD})`).join(', ')
const WORDS = new RegExp(`^${VOCABULARY}$`)
/** A comma and a space between two words. */
export const MAX_VOCABULARY_CHARACTERS = ORDER.length * (MAX_WORD_CHARACTERS + 2)

export const isVocabulary = (text: string): boolean => WORDS.test(text)

/** The words of a text; those by default where it is empty or none. */
export function vocabularyOf(text: string): Vocabulary {
  const [, ...found] = WORDS.exec(text) ?? WORDS.exec(DEFAULT_VOCABULARY)!
  return Object.fromEntries(ORDER.map((name, i) => [name, found[i]])) as Vocabulary
}

/** A text of the program with the words of a server in the place of `{post}`, or `{Posts}` where a sentence begins with it. */
export const inWords = (text: string, vocabulary: Vocabulary): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const word = vocabulary[name.toLowerCase() as keyof Vocabulary] ?? whole
    return /^[A-Z]/.test(name) ? capital(word) : word
  })

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
