import { FNAME_PATTERN } from '../../kernel/protocol/names.ts'

type Replacements = readonly (readonly [RegExp, string])[]

/** Two letters that look like one. */
const LOOKS_LIKE_ONE: Replacements = [
  [/-/g, ''],
  [/rn/g, 'm'],
  [/nn/g, 'm'],
  [/vv/g, 'w'],
]
/** Characters that look alike are folded: 1, i and l are one, as are 0 and o. */
const LOOKS_LIKE: Replacements = [
  [/-/g, ''],
  [/v/g, 'y'],
  [/0/g, 'o'],
  [/[1i]/g, 'l'],
  [/3/g, 'e'],
  [/4/g, 'a'],
  [/5/g, 's'],
  [/7/g, 't'],
  [/8/g, 'b'],
  // After 1 and i, so that c1 and ci are d too.
  [/cl/g, 'd'],
]

/** Two names that fold to the same text look alike. */
const foldName = (name: string): string => foldLetters(replaced(name, LOOKS_LIKE_ONE))
const foldLetters = (name: string): string => replaced(name, LOOKS_LIKE)

const replaced = (name: string, replacements: Replacements): string =>
  replacements.reduce((text, [pattern, like]) => text.replace(pattern, like), name)

/**
 * Words that name an office or a place when they are joined with a reserved one: `helpdesk`, `sysadmin`, `rookeryteam`.
 * They are no reserved names themselves.
 */
const COMPANIONS = ['app', 'bot', 'desk', 'hq', 'info', 'my', 'net', 'real', 'sys', 'team', 'the']
/** Shorter words have no plural and no near spellings: `roots`, `rot` and `hug` are ordinary words. */
const MIN_VARIED_LETTERS = 5
/** Words from this length on are also reserved with a letter left out or replaced. `amin` and `adman` are ordinary names. */
const MIN_MISSPELT_LETTERS = 7

/**
 * Tells whether a name, or a part of it between hyphens, is misleading because it is or looks like one of these. Digits
 * around it do not count (`admin2`), nor does a plural (`admins`) or one wrong letter (`rookry`), and it may be joined with
 * other reserved words and companions (`rookeryteam`). What cannot be a name is not reserved.
 */
export function reservedNames(names: readonly string[]): (name: string) => boolean {
  // A doubled n is no m in a misspelt word, so both are compared.
  const tests = [foldName, foldLetters].map((fold) => {
    const isJoined = joinedOf(names.map(fold), COMPANIONS.map(fold))
    return (text: string) => isJoined(fold(text))
  })
  const isMisleading = (text: string) => tests.some((test) => test(text))
  return (name) => {
    if (!FNAME_PATTERN.test(name)) return false
    const runs = runsOf(name)
    return [...new Set([...runs, ...runs.map(withoutDigits)])].some(isMisleading)
  }
}

/** Tests whether a text consists of nothing but these words and companions, with at least one word. */
function joinedOf(words: readonly string[], companions: readonly string[]) {
  // A spelling begins as its word does.
  const byLetter = Map.groupBy(words, (word) => word[0])
  const isWord = (text: string) =>
    byLetter.get(text[0])?.some((word) => isSpellingOf(word, text)) ?? false
  const isJoined = (text: string, hasWord = false): boolean => {
    if (text === '') return hasWord
    for (let end = 1; end <= text.length; end++) {
      const [part, rest] = [text.slice(0, end), text.slice(end)]
      if (isWord(part) && isJoined(rest, true)) return true
      if (companions.includes(part) && isJoined(rest, hasWord)) return true
    }
    return false
  }
  return (text: string) => isJoined(text)
}

const withoutDigits = (text: string): string => text.replace(/^[\d-]+|(?<![\d-])[\d-]+$/g, '')

function isSpellingOf(word: string, text: string): boolean {
  if (text === word) return true
  if (word.length < MIN_VARIED_LETTERS) return false
  return text === `${word}s` || isNear(word, text)
}

/**
 * Whether a letter of the word is doubled or swapped with its neighbour; in a long word also whether one inside of it is
 * missing, added or another.
 */
function isNear(word: string, text: string): boolean {
  if (text[0] !== word[0] || text.at(-1) !== word.at(-1)) return false
  let same = 0
  while (same < word.length && text[same] === word[same]) same++
  const endsAs = (ofText: number, ofWord: number) =>
    text.slice(same + ofText) === word.slice(same + ofWord)
  const isDoubled = text[same] === text[same - 1] && endsAs(1, 0)
  const isSwapped = text[same] === word[same + 1] && text[same + 1] === word[same] && endsAs(2, 2)
  if (isDoubled || isSwapped) return true
  return word.length >= MIN_MISSPELT_LETTERS && (endsAs(1, 0) || endsAs(0, 1) || endsAs(1, 1))
}

/** All runs of neighbouring parts: a-b-c has a, a-b, a-b-c, b, b-c and c. A name has at most 8 parts. */
function runsOf(name: string): string[] {
  const parts = name.split('-')
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_, length) => parts.slice(from, from + length + 1).join('-')),
  )
}
