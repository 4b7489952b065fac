import { folded } from './folded.ts'
import { TAGS } from './tags.ts'

// Cuts text into tokens for full-text search: the same for both engines, and for what is searched and what is
// stored. Scripts that write words without spaces are searched by characters and pairs of neighbours.

/** Longer words are cut, by code points. */
export const MAX_WORD_LENGTH = 64
/** Distinct tokens of one text, at most. */
export const MAX_TOKENS = 1_000

/** Begins tokens that no text contains: U+E000 is for private use, so no text yields it. */
const MARKER = '\ue000'

const EMOJI = /\p{RGI_Emoji}|\p{Extended_Pictographic}\ufe0f?/gv
/** Skin tones and variation selectors: an emoji is found whatever its colour. */
const EMOJI_STYLE = /[\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f]/gu
/** SQLite's tokenizer splits at ASCII signs; these two begin keycap emojis. */
const KEYCAP_SIGNS: Readonly<Record<string, string>> = { '#': '\ue001', '*': '\ue002' }
/** Stands for `_`, at which it would split too. */
const UNDERSCORE = '\ue003'
const UNSPACED_SCRIPTS =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}'
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]$`, 'v')
/** A run of an unspaced script, or of anything else that words are made of. */
const RUNS = new RegExp(
  `[[${UNSPACED_SCRIPTS}]&&[\\p{L}\\p{N}\\p{M}]]+|[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED_SCRIPTS}]]+`,
  'gv',
)
const ASCII = /^[\0-\x7f]*$/
const ASCII_WORDS = /[a-z0-9]+/g

/**
 * The words, characters of unspaced scripts and emojis of a text, in order. An inner list is what stands
 * without a gap, so that only neighbours in it make pairs.
 */
export function runsOf(text: string): string[][] {
  if (ASCII.test(text)) return asciiWords(text).map((word) => [cut(word)])
  const runs: string[][] = []
  let at = 0
  for (const { 0: emoji, index } of text.matchAll(EMOJI)) {
    runs.push(...runsWithoutEmoji(text.slice(at, index)))
    runs.push([emojiToken(emoji)])
    at = index + emoji.length
  }
  runs.push(...runsWithoutEmoji(text.slice(at)))
  return runs
}

function runsWithoutEmoji(text: string): string[][] {
  if (text === '') return []
  return (folded(text).match(RUNS) ?? []).map((run) => {
    const [first = ''] = run
    return UNSPACED.test(first) ? [...run] : [cut(run)]
  })
}

const asciiWords = (text: string): readonly string[] => text.toLowerCase().match(ASCII_WORDS) ?? []

const cut = (word: string) =>
  word.length <= MAX_WORD_LENGTH ? word : [...word].slice(0, MAX_WORD_LENGTH).join('')

/** A skin tone that stands alone is an emoji too, and nothing but style: it is its own token. */
const emojiToken = (emoji: string) =>
  (emoji.replace(EMOJI_STYLE, '') || emoji).replace(/[#*]/, (sign) => KEYCAP_SIGNS[sign]!)

/** The units of a text in order, without their gaps: phrases are compared with them. */
export const unitsOf = (text: string): string[] => runsOf(text).flat()

/** The distinct tokens of texts, at most MAX_TOKENS: their units and the pairs of neighbours in a run. */
export function tokensOf(...texts: readonly string[]): string[] {
  const tokens = new Set<string>()
  for (const text of texts) addTokens(text, tokens)
  return tokens.size > MAX_TOKENS ? [...tokens].slice(0, MAX_TOKENS) : [...tokens]
}

/** Most casts are ASCII, where each word is a run of its own: no lists are made of its runs. */
function addTokens(text: string, tokens: Set<string>): void {
  if (ASCII.test(text)) {
    for (const word of asciiWords(text)) tokens.add(cut(word))
    return
  }
  for (const run of runsOf(text)) {
    for (let i = 0; i < run.length; i++) {
      tokens.add(run[i]!)
      if (i > 0) tokens.add(run[i - 1]! + run[i]!)
    }
    if (tokens.size >= MAX_TOKENS) return
  }
}

/** What a cast may carry: `has:pictures` finds those with pictures. `tags` is for lists of tags. */
export const CARRIED = ['pictures', 'videos', 'links', 'tags'] as const
export type Carried = (typeof CARRIED)[number]
/** The files of an address by its ending, as clients decide whether they show a picture. */
const CARRIED_FILES = [
  ['pictures', /\.(?:png|jpe?g|gif|webp|avif)$/i],
  ['videos', /\.(?:mp4|m4v|mov|webm|m3u8)$/i],
] as const

/** The token of casts that carry this. */
export const carriedToken = (carried: Carried): string => `${MARKER}h${carried}`

function carriedAt(url: string): Carried {
  const path = URL.canParse(url) ? new URL(url).pathname : ''
  return CARRIED_FILES.find(([, ending]) => ending.test(path))?.[0] ?? 'links'
}

/** The token of a cast's author: searches for one author's casts use it. */
export const authorToken = (fid: number): string => `${MARKER}a${fid}`

/** The token of a user whose profile names this account at X: letters, digits and `_`. */
export const xAccountToken = (username: string): string =>
  `${MARKER}x${username.toLowerCase().replaceAll('_', UNDERSCORE)}`

/** The token of a user in this square of one degree: the degrees of latitude and longitude at its south-western corner. */
export const placeToken = (latitude: number, longitude: number): string => {
  const west = (((Math.floor(longitude) + 180) % 360) + 360) % 360
  return `${MARKER}g${(Math.floor(latitude) + 90) * 360 + west}`
}

const NO_LETTERS = /[^\p{L}\p{N}\p{M}_]/gu
/** Distinct tags of one text, at most. */
export const MAX_TAGS = 100

/** The token of a tag, without its sign. */
export const tagToken = (tag: string): string =>
  `${MARKER}t${cut(folded(tag).replace(NO_LETTERS, '')).replaceAll('_', UNDERSCORE)}`

function tagTokensOf(text: string): string[] {
  if (!text.includes('#')) return []
  const tokens = new Set([...text.matchAll(TAGS)].map(([, tag]) => tagToken(tag!)))
  return [...tokens].slice(0, MAX_TAGS)
}

/** The tokens of a cast but for its author: the words of its text and embedded urls, its tags, and what it carries. */
export function castTokens(text: string, urls: readonly string[]): string[] {
  const tags = tagTokensOf(text)
  const carried = new Set(urls.map(carriedAt))
  if (tags.length > 0) carried.add('tags')
  return [
    ...tokensOf(text, ...urls.map(searchedPartOf)),
    ...tags,
    ...[...carried].map(carriedToken),
  ]
}

/** The search tokens of a cast, separated by spaces: its author, words, tags, and what it carries. */
export function castWords(author: number, text: string, urls: readonly string[]): string {
  const isPlain = urls.length === 0 && !text.includes('#')
  const words = (isPlain && plainWords(text)) || castTokens(text, urls).join(' ')
  return words === '' ? authorToken(author) : `${authorToken(author)} ${words}`
}

/** Texts of this length cannot have more than MAX_TOKENS words. */
const MAX_PLAIN_LENGTH = 2 * MAX_TOKENS
const plain = Buffer.alloc(MAX_PLAIN_LENGTH)
const SPACE = 0x20
/** Maps the code of an ASCII letter or digit to its lower case, and every other code to 0. */
const LETTERS = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toLowerCase()
  return /[a-z0-9]/.test(letter) ? letter.charCodeAt(0) : 0
})

/**
 * The tokens of an ASCII text, in order, separated by spaces. Undefined for any other text. Duplicates are not removed: they
 * do not change what a search finds, and removing them takes several times as long as everything else here.
 */
function plainWords(text: string): string | undefined {
  if (text.length > MAX_PLAIN_LENGTH) return undefined
  let length = 0
  let wordLength = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= LETTERS.length) return undefined
    const letter = LETTERS[code]!
    if (letter === 0) {
      wordLength = 0
      continue
    }
    if (wordLength === 0 && length > 0) plain[length++] = SPACE
    if (wordLength < MAX_WORD_LENGTH) plain[length++] = letter
    wordLength++
  }
  return plain.toString('latin1', 0, length)
}

/** The part of an embedded url that is searched: its host and path. */
export function searchedPartOf(url: string): string {
  if (!URL.canParse(url)) return ''
  const { host, pathname } = new URL(url)
  return `${host} ${decoded(pathname)}`
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
