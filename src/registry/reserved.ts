import { FNAME_PATTERN } from '../protocol/names.ts'

/** Characters that look alike are folded: 1, i and l are one, as are 0 and o. */
const LOOKS_LIKE: readonly (readonly [RegExp, string])[] = [
  [/-/g, ''],
  [/rn/g, 'm'],
  [/nn/g, 'm'],
  [/vv/g, 'w'],
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
function foldName(name: string): string {
  return LOOKS_LIKE.reduce((text, [pattern, like]) => text.replace(pattern, like), name)
}

/**
 * Tells whether a name, or a part of it between hyphens, is or looks like one of these: `rookery-support` is
 * as misleading as `rookery`. What cannot be a name is not reserved.
 */
export function reservedNames(names: readonly string[]): (name: string) => boolean {
  const folded = new Set(names.map(foldName))
  return (name) => FNAME_PATTERN.test(name) && runsOf(name).some((run) => folded.has(foldName(run)))
}

/** All runs of neighbouring parts: a-b-c has a, a-b, a-b-c, b, b-c and c. A name has at most 8 parts. */
function runsOf(name: string): string[] {
  const parts = name.split('-')
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_, length) => parts.slice(from, from + length + 1).join('-')),
  )
}
