// What a key may do, in words.

const WORDS: Readonly<Record<string, string>> = {
  CAST_ADD: 'post',
  CAST_REMOVE: 'delete posts',
  REACTION_ADD: 'like and recast',
  REACTION_REMOVE: 'take likes and recasts back',
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

/** The scopes of a key as one sentence part. A scope that the page does not know keeps its name. */
export function scopeText(scopes: readonly string[]): string {
  const names = [...new Set(scopes.map((scope) => scope.replace('MESSAGE_TYPE_', '')))]
  if (Object.keys(WORDS).every((name) => names.includes(name))) return 'everything'
  return names.map((name) => WORDS[name] ?? name).join(', ')
}
