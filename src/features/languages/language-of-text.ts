import { READABLE } from './readable.ts'

// In which language a post is, as far as it can be told. An error is worse than no answer, with which a post is shown as ever: so a short
// text, one without words and one in two languages have none.

/** Says which language a text most likely is in, as `detect` of eld does. */
export type Detect = typeof import('eld/extrasmall')['eld']['detect']

/** More of a text says nothing more about its language. */
const MAX_CHARACTERS = 300
/** Fewer letters are no sentence: of texts with 8 to 12, six in a hundred were taken for another language. */
const MIN_LETTERS = 12
/** Two of kana or Hangul are a word, six of Chinese characters without kana a sentence. */
const MIN_KANA = 2
const MIN_HAN = 6
/** How sure the detector must be, and by how much surer than of the next language. Alphabets that few languages have leave less doubt. */
const MIN_SCORE = 0.55
const MIN_LEAD = 0.02
const MIN_LEAD_OF_OTHER_SCRIPTS = 0.01
/** From this number of letters each half is looked at by itself, too. */
const MIN_LETTERS_OF_HALVES = 60

/** Of a word of code. */
const CODE = /[<>=_{}|\\]/
/** What is in no language: addresses, names of people and channels, tags, laughter. */
const NO_WORDS =
  /https?:\/\/\S+|(?<![\w-])[\w-]{1,63}\.[\w-]\S*|[@#/$][\p{L}\p{N}_.-]+|(?<!\p{L})(\p{L}{1,3}?)\1{2,}\p{L}?(?!\p{L})/giu

/** Without what is in no language. */
function wordsOf(text: string): string {
  const words = text.slice(0, MAX_CHARACTERS).split(/\s+/)
  return words
    .filter((word) => !CODE.test(word))
    .join(' ')
    .replace(NO_WORDS, ' ')
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** A code of READABLE, or undefined. */
export function languageOfText(text: string, detect: Detect): string | undefined {
  const words = wordsOf(text)
  const letters = countOf(words, /\p{L}/gu)
  const most = letters / 2
  const kana = countOf(words, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu)
  const hangul = countOf(words, /\p{Script=Hangul}/gu)
  const han = countOf(words, /\p{Script=Han}/gu)
  if (kana >= MIN_KANA && kana + han > most) return 'ja'
  if (hangul >= MIN_KANA && hangul > most) return 'ko'
  if (han > most) return han >= MIN_HAN && kana === 0 ? 'zh' : undefined
  if (letters < MIN_LETTERS) return undefined
  const whole = detected(words, detect)
  if (whole === undefined || letters < MIN_LETTERS_OF_HALVES) return whole
  const middle = words.indexOf(' ', words.length / 2)
  const halves = [words.slice(0, middle), words.slice(middle)].map((half) => detected(half, detect))
  return halves.every((half) => half === undefined || half === whole) ? whole : undefined
}

function detected(words: string, detect: Detect): string | undefined {
  const found = detect(words)
  if (!found.isReliable()) return undefined
  const [first = 0, second = 0] = Object.values(found.getScores()).toSorted((a, b) => b - a)
  const isLatin = 2 * countOf(words, /\p{Script=Latin}/gu) > countOf(words, /\p{L}/gu)
  const lead = isLatin ? MIN_LEAD : MIN_LEAD_OF_OTHER_SCRIPTS
  if (first < MIN_SCORE || first - second < lead) return undefined
  const code = found.language === 'ms' ? 'id' : found.language
  return READABLE.includes(code) ? code : undefined
}
