import { ALL_MESSAGE_SETS } from '../../../kernel/protocol/kinds/kinds.ts'
import { MESSAGE_SETS } from '../../../kernel/protocol/slots.ts'
import type { ListMethod, SourceKind } from './source.ts'

/** The lists of a person, in the order in which they depend on each other. Name proofs come in events alone. */
export const LISTS: readonly { readonly set: number; readonly method: ListMethod }[] = [
  { set: MESSAGE_SETS.verifications, method: 'GetAllVerificationMessagesByFid' },
  { set: MESSAGE_SETS.userData, method: 'GetAllUserDataMessagesByFid' },
  { set: MESSAGE_SETS.storageLends, method: 'GetAllLendStorageMessagesByFid' },
  { set: MESSAGE_SETS.linkCompactState, method: 'GetLinkCompactStateMessageByFid' },
  { set: MESSAGE_SETS.links, method: 'GetAllLinkMessagesByFid' },
  { set: MESSAGE_SETS.casts, method: 'GetAllCastMessagesByFid' },
  { set: MESSAGE_SETS.reactions, method: 'GetAllReactionMessagesByFid' },
]

/** Of people who are context, only who they are. */
export const PROFILE_LISTS: typeof LISTS = LISTS.filter(
  ({ set }) => set === MESSAGE_SETS.verifications || set === MESSAGE_SETS.userData,
)

/** Sets whose events are applied for people who are context. */
export const PROFILE_SETS: ReadonlySet<number> = new Set([
  MESSAGE_SETS.verifications,
  MESSAGE_SETS.userData,
  MESSAGE_SETS.usernameProofs,
  MESSAGE_SETS.gaslessKeys,
])

export const SET_NAMES: ReadonlyMap<number, string> = new Map(
  ALL_MESSAGE_SETS.map(({ number, key }) => [number, key]),
)

/**
 * The number that a source says it has of a set, from the number of messages of each set. Snapchain counts compact states as
 * links; Hubble and Rookery count them nowhere.
 */
export function numberOf(kind: SourceKind, set: number, count: (set: number) => number): number {
  const withCompactStates = kind === 'snapchain' && set === MESSAGE_SETS.links
  return count(set) + (withCompactStates ? count(MESSAGE_SETS.linkCompactState) : 0)
}
