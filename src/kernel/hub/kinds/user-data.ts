import { base58 } from '@scure/base'
import { fromHex } from '../../protocol/codec/bytes.ts'
import { usernameKind } from '../../protocol/names.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { userDataSlot, usernameProofSlot, verificationSlot } from '../../protocol/slots.ts'
import { type MessageData, UserDataType } from '../../protocol/wire/message_pb.js'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { StoredMessage } from '../../storage/messages/messages.ts'
import type { Storage } from '../../storage/storage.ts'
import type { StoredNameProof } from '../../storage/tables/name-proofs.ts'
import type { ToldName } from '../../storage/upstream.ts'
import type { Findings } from '../jobs/findings.ts'
import { bytesKey, type Candidate } from '../submit/candidate.ts'
import type { Effects, Loss, MergeState, Needs, Readable } from './effects.ts'
import { holdsVerification } from './verifications.ts'

/** A profile claims a username and primary addresses, which must be its author's, and is revoked when they no longer are. */
export const userDataEffects: Effects = {
  needs,
  asks: (body) => (claimedName(body, 'registry') ? 'registry' : undefined),
  rules: [{ check: checkClaims }],
  claims: { slots: claimSlots, isLost },
  verify: checkUsernames,
}

type Body = MessageData['body']

function needs({ row, body }: Candidate): Needs {
  const address = primaryAddressOf(body)
  if (address) return { slots: [verificationSlot(row.fid, address)] }
  const name = claimedName(body, 'registry')
  if (name !== undefined) return { names: [Buffer.from(name)] }
  const onEthereum = claimedName(body, 'ethereum')
  if (onEthereum === undefined) return {}
  return { slots: [usernameProofSlot(onEthereum)], toldNames: [Buffer.from(onEthereum)] }
}

/** The username that a message claims, if it is a name of the registry, or one on Ethereum. */
export function claimedName(body: Body, where: 'registry' | 'ethereum'): string | undefined {
  if (body.case !== 'userDataBody') return undefined
  const { type, value } = body.value
  if (type !== UserDataType.USER_DATA_TYPE_USERNAME || value === '') return undefined
  return (usernameKind(value) === 'fname') === (where === 'registry') ? value : undefined
}

/** The address bytes in a checked primary address; undefined for other entries and when cleared. */
function primaryAddressOf(body: Body): Uint8Array | undefined {
  if (body.case !== 'userDataBody') return undefined
  const { type, value } = body.value
  if (value === '') return undefined
  if (type === UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM) return fromHex(value)
  if (type === UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA) return base58.decode(value)
  return undefined
}

function checkClaims({ row: { fid }, body }: Candidate, state: MergeState): void {
  const name = claimedName(body, 'registry') ?? claimedName(body, 'ethereum')
  if (name !== undefined) {
    const holder = usernameHolder(name, state)
    if (!holder) throw refused(`name ${name} is not registered`)
    if (holder !== fid) throw refused(`fid ${holder} does not match message fid ${fid}`)
  }
  const address = primaryAddressOf(body)
  if (address && !holdsVerification(state, fid, address)) {
    throw refused('address is not part of any verification')
  }
}

const refused = (text: string) => new Rejection('bad_request.validation_failure', text)

type Names = {
  nameProof(name: string): StoredNameProof | undefined
  toldName(name: string): ToldName | undefined
  holder(slot: Uint8Array): StoredMessage | undefined
}

/** The fid that holds a username: by the registry, or for ENS and base names by a stored proof or the word of another hub. */
function usernameHolder(name: string, names: Names): number | undefined {
  const proof =
    usernameKind(name) === 'fname'
      ? names.nameProof(name)
      : (names.holder(usernameProofSlot(name)) ?? names.toldName(name))
  return proof?.fid || undefined
}

function claimSlots(loss: Loss): Uint8Array[] {
  const types =
    'name' in loss
      ? [UserDataType.USER_DATA_TYPE_USERNAME]
      : [
          UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
          UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
        ]
  return types.map((type) => userDataSlot(loss.fid, type))
}

/** Whether a profile entry claims one of these names and addresses. */
function isLost(row: StoredMessage, losses: readonly Loss[]): boolean {
  const { body } = fromStored(row).data
  if (body.case !== 'userDataBody') return false
  const address = primaryAddressOf(body)
  const key = address ? bytesKey(address) : body.value.value
  return losses.some(
    (loss) =>
      loss.fid === row.fid &&
      ('name' in loss ? !address && loss.name === key : address && bytesKey(loss.address) === key),
  )
}

/** Every username is one that its author holds. */
async function checkUsernames(
  storage: Storage,
  rows: readonly Readable[],
  found: Findings,
): Promise<void> {
  const claims = rows.flatMap(({ row, name: message, message: { data } }) => {
    const name = claimedName(data.body, 'registry') ?? claimedName(data.body, 'ethereum')
    return name === undefined ? [] : [{ row, message, name, bytes: Buffer.from(name) }]
  })
  if (claims.length === 0) return
  const bytes = claims.map((claim) => claim.bytes)
  const upstream = storage.schema?.upstream
  const [proofs, told, holders] = await Promise.all([
    storage.nameProofs.byNames(bytes),
    upstream ? storage.of(upstream.names).byNames(bytes) : [],
    storage.messages.bySlots(claims.map(({ name }) => usernameProofSlot(name))),
  ])
  const byName = <R extends { readonly name: Uint8Array }>(found: readonly R[]) => {
    const map = new Map(found.map((one) => [Buffer.from(one.name).toString(), one]))
    return (name: string) => map.get(name)
  }
  const bySlot = new Map(holders.map((one) => [bytesKey(one.slot), one]))
  const names = {
    nameProof: byName(proofs),
    toldName: byName(told),
    holder: (slot: Uint8Array) => bySlot.get(bytesKey(slot)),
  }
  for (const { row, message, name } of claims) {
    if (usernameHolder(name, names) !== row.fid) {
      found.add('username', `${message} claims ${name}, which is not its author's`)
    }
  }
}
