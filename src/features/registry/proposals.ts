import { FNAME_MAX_CHARACTERS, FNAME_PATTERN } from '../../kernel/protocol/names.ts'

// Names for people who have said what they are called.

/** Names that are looked at for one proposal: beyond them all are taken, and one makes up another. */
const MAX_CANDIDATES = 12
const FIRST_NUMBER = 2

/** Letters that Unicode does not take apart into a letter of a to z and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  // Latin
  ...{
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ł: 'l',
    ħ: 'h',
    ı: 'i',
    ŋ: 'ng',
  },
  ...{ ŧ: 't', ə: 'e', ƒ: 'f' },
  // Greek
  ...{ α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l' },
  ...{ μ: 'm', ν: 'n', ξ: 'x', ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f' },
  ...{ χ: 'ch', ψ: 'ps', ω: 'o' },
  // Cyrillic
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', ґ: 'g', д: 'd', е: 'e', є: 'ye', ж: 'zh', з: 'z', и: 'i' },
  ...{ і: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u' },
  ...{ ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e' },
  ...{ ю: 'yu', я: 'ya', ђ: 'dj', ј: 'j', љ: 'lj', њ: 'nj', ћ: 'c', џ: 'dz' },
}

/** What somebody is called in the letters of names: `Café Zoë` is `cafe-zoe`. Empty for scripts that it does not know. */
export function nameOf(text: string): string {
  const letters = [...text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')]
  return letters
    .map((letter) => LETTERS[letter] ?? letter)
    .join('')
    .replace(/['’`]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join('-')
}

/** Names for what somebody is called, the best first. None is longer than a name may be. */
export function candidatesOf(text: string): string[] {
  const name = nameOf(text)
  if (name === '') return []
  const words = name.split('-')
  const base = shortened(words)
  const numbered = Array.from({ length: MAX_CANDIDATES }, (_, at) => {
    const number = String(FIRST_NUMBER + at)
    return cut(base, number.length) + number
  })
  const all = [base, base.replaceAll('-', ''), words[0]!, ...numbered]
  return [...new Set(all)].filter((one) => FNAME_PATTERN.test(one)).slice(0, MAX_CANDIDATES)
}

/** As many of the words as fit; of one that is too long, its beginning. */
function shortened(words: readonly string[]): string {
  const ends = words.map((_, at) => words.slice(0, at + 1).join('-'))
  return ends.findLast((text) => text.length <= FNAME_MAX_CHARACTERS) ?? cut(words[0]!, 0)
}

/** So short that more characters fit behind it. */
const cut = (name: string, more: number): string =>
  name.slice(0, FNAME_MAX_CHARACTERS - more).replace(/-$/, '')
