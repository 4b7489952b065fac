import { equalBytes, toHex } from '../../protocol/codec/bytes.ts'
import { usernameKind } from '../../protocol/names.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { isAdd, MESSAGE_SETS, usernameProofSlot, verificationSlot } from '../../protocol/slots.ts'
import {
  type UserDataBody,
  UserDataType,
  type UserNameProof,
} from '../../protocol/wire/message_pb.js'
import type { Authority } from '../settings.ts'
import type { Candidate } from './candidate.ts'
import type { MergeState } from './merge-state.ts'
import { primaryAddressOf } from './user-data.ts'

type Holdings = Pick<MergeState, 'holder' | 'nameProof' | 'toldName' | 'custody' | 'lends'>

/**
 * Throws a Rejection when a message claims what its author does not hold: a username of another fid
 * or one that is not registered, an address it has not verified, an ENS name that resolves elsewhere, storage to lend.
 * What only a chain said at the time of the message, and what storage there was to lend, is left to a mirrored hub.
 */
export function checkOwnership(
  state: Holdings,
  candidate: Candidate,
  authority: Authority = 'own',
): void {
  const { fid, store } = candidate.row
  if (store === MESSAGE_SETS.storageLends) state.lends.check(candidate, authority)
  if (store !== MESSAGE_SETS.userData && store !== MESSAGE_SETS.usernameProofs) return
  const { body, answer: resolved } = candidate
  if (body.case === 'userDataBody') checkUserData(state, fid, body.value)
  if (body.case === 'usernameProofBody' && authority === 'own') {
    checkNameOwner(state, fid, body.value, resolved)
  }
}

function checkUserData(state: Holdings, fid: number, { type, value }: UserDataBody): void {
  if (type === UserDataType.USER_DATA_TYPE_USERNAME && value !== '') {
    const holder = usernameHolder(state, value)
    if (!holder) throw refused(`name ${value} is not registered`)
    if (holder !== fid) throw refused(`fid ${holder} does not match message fid ${fid}`)
  }
  const address = primaryAddressOf(type, value)
  if (address && !holdsVerification(state, fid, address)) {
    throw refused('address is not part of any verification')
  }
}

/** The fid that holds a username: by the registry, or for ENS and base names by a stored proof or the word of another hub. */
function usernameHolder(state: Holdings, name: string): number | undefined {
  const proof =
    usernameKind(name) === 'fname'
      ? state.nameProof(name)
      : (state.holder(usernameProofSlot(name)) ?? state.toldName(name))
  return proof?.fid || undefined
}

function checkNameOwner(
  state: Holdings,
  fid: number,
  proof: UserNameProof,
  resolved: Uint8Array | undefined,
): void {
  const name = Buffer.from(proof.name).toString()
  if (!resolved) throw refused(`no valid address for ${name}`)
  if (!equalBytes(resolved, proof.owner)) {
    throw refused(`resolved address ${toHex(resolved)} does not match proof`)
  }
  const custody = state.custody(fid)
  const isCustody = custody !== undefined && equalBytes(custody.address, resolved)
  if (!isCustody && !holdsVerification(state, fid, resolved)) {
    throw refused(`ens name does not belong to fid: ${fid}`)
  }
}

function holdsVerification(state: Holdings, fid: number, address: Uint8Array): boolean {
  const verification = state.holder(verificationSlot(fid, address))
  return verification !== undefined && isAdd(verification.type)
}

const refused = (text: string) => new Rejection('bad_request.validation_failure', text)
