import { FNAME_PATTERN } from '../protocol/names.ts'

/** Characters that people take for another; 1, i and l are one, as are 0 and o. */
const LOOKS_LIKE: readonly (readonly [RegExp, string])[] = [
  [/-/g, ''],
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/0/g, 'o'],
  [/[1i]/g, 'l'],
  [/3/g, 'e'],
  [/4/g, 'a'],
  [/5/g, 's'],
  [/7/g, 't'],
  [/8/g, 'b'],
]

/** Two names that fold to the same text look alike. */
export function foldName(name: string): string {
  return LOOKS_LIKE.reduce((text, [pattern, like]) => text.replace(pattern, like), name)
}

/** Says of a name whether it is, or looks like, one of these. What cannot be a name is not reserved. */
export function reservedNames(names: readonly string[]): (name: string) => boolean {
  const folded = new Set(names.map(foldName))
  return (name) => FNAME_PATTERN.test(name) && folded.has(foldName(name))
}
