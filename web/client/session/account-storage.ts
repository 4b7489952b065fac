// What this browser keeps of one account: by a name and its fid, so that all of it leaves with the account.

/** `rookery.mail.7`. Every key that is of an account is made here. */
export const accountKey = (name: string, fid: number): string => `rookery.${name}.${fid}`

/** It goes on with the words themselves, which stay in this browser until the account is deleted. */
export const WORDS = 'words'

/** Those of the keys that leave with the account. */
export const keysOf = (fid: number, keys: readonly string[]): string[] =>
  keys.filter(
    (key) =>
      key.startsWith('rookery.') && key.endsWith(`.${fid}`) && key !== accountKey(WORDS, fid),
  )

export function forgetAccount(fid: number): void {
  try {
    for (const key of keysOf(fid, Object.keys(localStorage))) localStorage.removeItem(key)
  } catch {}
}
