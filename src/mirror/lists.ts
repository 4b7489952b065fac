import { ALL_MESSAGE_SETS } from '../protocol/kinds/kinds.ts'
import { MESSAGE_SETS } from '../protocol/slots.ts'
import type { ListMethod } from './source.ts'

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

export const SET_NAMES: ReadonlyMap<number, string> = new Map(
  ALL_MESSAGE_SETS.map(({ number, key }) => [number, key]),
)
