import { checkList, checkName } from './checks.ts'

/** What a key may be added for, by the functions that make it. */
export const SCOPES = {
  castAdd: 1,
  castRemove: 2,
  reactionAdd: 3,
  reactionRemove: 4,
  linkAdd: 5,
  linkRemove: 6,
  verificationAdd: 7,
  verificationRemove: 8,
  userData: 11,
  usernameProof: 12,
  frameAction: 13,
  linkCompactState: 14,
  lendStorage: 15,
} as const
export type KeyScope = keyof typeof SCOPES

/** The numbers of these types on the wire. */
export function scopeNumbers(scopes: readonly KeyScope[]): number[] {
  checkList(scopes, 'scopes', (one, what) => checkName(one, what, Object.keys(SCOPES)))
  return scopes.map((scope) => SCOPES[scope])
}
