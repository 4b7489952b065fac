import { words } from './words.ts'

// What a key may do, in words.

const WORDS: Readonly<Record<string, string>> = {
  CAST_ADD: words.verb,
  CAST_REMOVE: `delete ${words.posts}`,
  REACTION_ADD: `like and ${words.repost}`,
  REACTION_REMOVE: `take likes and ${words.reposts} back`,
  LINK_ADD: 'follow',
  LINK_REMOVE: 'unfollow',
  LINK_COMPACT_STATE: 'replace the list of follows',
  VERIFICATION_ADD_ETH_ADDRESS: 'add addresses',
  VERIFICATION_REMOVE: 'remove addresses',
  USER_DATA_ADD: 'change the profile',
  USERNAME_PROOF: 'add names',
  FRAME_ACTION: 'press buttons in frames',
  LEND_STORAGE: 'lend storage',
}

/** The scopes of a key, each in words. A scope that the page does not know keeps its name. */
export const abilityTexts = (scopes: readonly string[]): string[] =>
  namesOf(scopes).map((name) => WORDS[name] ?? name)

/** The scopes of a key as one sentence part. */
export const scopeText = (scopes: readonly string[]): string =>
  isEverything(scopes) ? 'everything' : abilityTexts(scopes).join(', ')

export const isEverything = (scopes: readonly string[]): boolean =>
  Object.keys(WORDS).every((name) => namesOf(scopes).includes(name))

const namesOf = (scopes: readonly string[]) => [
  ...new Set(scopes.map((scope) => scope.replace('MESSAGE_TYPE_', ''))),
]
