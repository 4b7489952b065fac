import { isContractClaim } from '../../protocol/check.ts'
import { isAdd, verificationSlot } from '../../protocol/slots.ts'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { Effects, MergeState } from './effects.ts'

/** A profile may name an address as primary only as long as its author verifies it. */
export const verificationEffects: Effects = {
  asks: (body) =>
    body.case === 'verificationAddAddressBody' && isContractClaim(body)
      ? 'contractClaim'
      : undefined,
  losses(row) {
    const { body } = fromStored(row).data
    if (body.case !== 'verificationAddAddressBody') return []
    return [{ fid: row.fid, address: body.value.address }]
  },
}

/** Whether the fid has verified the address. `Needs.slots` must name the slot. */
export function holdsVerification(
  { holder }: Pick<MergeState, 'holder'>,
  fid: number,
  address: Uint8Array,
): boolean {
  const verification = holder(verificationSlot(fid, address))
  return verification !== undefined && isAdd(verification.type)
}
