import type { ClaimsPolicy } from './settings.ts'
import type { NameRequest } from './transfer-rules.ts'

// Which structs a change of a name may be signed as.

/** UserNameProof is the deployed claim, which names neither the receiver nor the network; NameTransfer names both. */
export type ClaimStruct = 'UserNameProof' | 'NameTransfer'

export type ChangeKind = 'register' | 'move' | 'release'

export const kindOfChange = ({ from, to }: Pick<NameRequest, 'from' | 'to'>): ChangeKind =>
  from === 0 ? 'register' : to === 0 ? 'release' : 'move'

/** In the order in which they are tried: the one that most clients send comes first. */
export function acceptedStructs(kind: ChangeKind, claims: ClaimsPolicy): readonly ClaimStruct[] {
  if (kind === 'register') return ['UserNameProof', 'NameTransfer']
  return claims === 'all' ? ['UserNameProof', 'NameTransfer'] : ['NameTransfer']
}

/** As GET /domains shows it. */
export const acceptedByKind = (claims: ClaimsPolicy) => ({
  register: [...acceptedStructs('register', claims)],
  move: [...acceptedStructs('move', claims)],
  release: [...acceptedStructs('release', claims)],
})
