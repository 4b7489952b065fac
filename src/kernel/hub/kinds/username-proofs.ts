import { equalBytes, toHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { verificationSlot } from '../../protocol/slots.ts'
import { HubEventType } from '../../protocol/wire/hub_event_pb.js'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { Candidate } from '../submit/candidate.ts'
import type { Effects, MergeState } from './effects.ts'
import { holdsVerification } from './verifications.ts'

/** A name on Ethereum is its author's when it resolves to an address that is theirs. */
export const usernameProofEffects: Effects = {
  needs: ({ row, answer }) => ({
    slots: answer ? [verificationSlot(row.fid, answer)] : [],
    custodies: [row.fid],
  }),
  asks: () => 'nameOnChain',
  rules: [{ checkNow: checkNameOwner }],
  eventType: HubEventType.MERGE_USERNAME_PROOF,
  losses(row) {
    const { body } = fromStored(row).data
    if (body.case !== 'usernameProofBody') return []
    return [{ fid: row.fid, name: Buffer.from(body.value.name).toString() }]
  },
}

/** By what the name resolves to now. */
function checkNameOwner(
  { row: { fid }, body, answer: resolved }: Candidate,
  state: MergeState,
): void {
  if (body.case !== 'usernameProofBody') return
  if (!resolved) throw refused(`no valid address for ${Buffer.from(body.value.name)}`)
  if (!equalBytes(resolved, body.value.owner)) {
    throw refused(`resolved address ${toHex(resolved)} does not match proof`)
  }
  const custody = state.custody(fid)
  const isCustody = custody !== undefined && equalBytes(custody.address, resolved)
  if (!isCustody && !holdsVerification(state, fid, resolved)) {
    throw refused(`ens name does not belong to fid: ${fid}`)
  }
}

const refused = (text: string) => new Rejection('bad_request.validation_failure', text)
