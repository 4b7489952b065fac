import { t } from './messages.ts'
import { longListText } from './text.ts'

// What a key may do, in words.

const WORDS: Readonly<Record<string, string>> = {
  CAST_ADD: t('{verb}'),
  CAST_REMOVE: t('delete {posts}'),
  REACTION_ADD: t('like and {repost}'),
  REACTION_REMOVE: t('take likes and {reposts} back'),
  LINK_ADD: t('follow'),
  LINK_REMOVE: t('unfollow'),
  LINK_COMPACT_STATE: t('replace the list of follows'),
  VERIFICATION_ADD_ETH_ADDRESS: t('add addresses'),
  VERIFICATION_REMOVE: t('remove addresses'),
  USER_DATA_ADD: t('change the profile'),
  USERNAME_PROOF: t('add names'),
  FRAME_ACTION: t('press buttons in frames'),
  LEND_STORAGE: t('lend storage'),
}

/** The scopes of a key, each in words. A scope that the page does not know keeps its name. */
export const abilityTexts = (scopes: readonly string[]): string[] =>
  namesOf(scopes).map((name) => WORDS[name] ?? name)

/** The scopes of a key as one sentence part. */
export const scopeText = (scopes: readonly string[]): string =>
  isEverything(scopes) ? t('everything') : longListText(abilityTexts(scopes))

export const isEverything = (scopes: readonly string[]): boolean =>
  Object.keys(WORDS).every((name) => namesOf(scopes).includes(name))

const namesOf = (scopes: readonly string[]) => [
  ...new Set(scopes.map((scope) => scope.replace('MESSAGE_TYPE_', ''))),
]
