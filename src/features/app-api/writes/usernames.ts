import { fromBinary } from '@bufbuild/protobuf'
import { toUtf8 } from '../../../kernel/protocol/codec/bytes.ts'
import { usernameKind } from '../../../kernel/protocol/names.ts'
import { userDataSlot, usernameProofSlot } from '../../../kernel/protocol/slots.ts'
import { MessageDataSchema, UserDataType } from '../../../kernel/protocol/wire/message_pb.js'
import type { Reader } from '../../../kernel/storage/storage.ts'

type Store = Pick<Reader, 'nameProofs' | 'published'>

/** The fids whose profiles have these usernames, by name. It takes two or three statements for any number. */
export async function fidsByUsername(
  store: Store,
  names: readonly string[],
): Promise<Map<string, number>> {
  const [fnames, others] = [
    names.filter((name) => usernameKind(name) === 'fname'),
    names.filter((name) => usernameKind(name) !== 'fname'),
  ]
  const [proofs, claims] = await Promise.all([
    fnames.length === 0 ? [] : store.nameProofs.byNames(fnames.map(toUtf8)),
    others.length === 0 ? [] : store.published.messages.bySlots(others.map(usernameProofSlot)),
  ])
  // An account may hold a name without using it: the profile decides.
  const holders = [...proofs, ...claims].map(({ fid }) => fid).filter((fid) => fid > 0)
  if (holders.length === 0) return new Map()
  const slots = [...new Set(holders)].map((fid) =>
    userDataSlot(fid, UserDataType.USER_DATA_TYPE_USERNAME),
  )
  const profiles = await store.published.messages.bySlots(slots)
  const wanted = new Set(names)
  return new Map(
    profiles
      .map(({ fid, data }) => [usernameIn(data), fid] as const)
      .filter(([name]) => wanted.has(name)),
  )
}

function usernameIn(data: Uint8Array): string {
  const { body } = fromBinary(MessageDataSchema, data)
  return body.case === 'userDataBody' ? body.value.value : ''
}
