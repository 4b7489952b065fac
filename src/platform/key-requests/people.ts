import { fromBinary } from '@bufbuild/protobuf'
import Type, { type Static } from 'typebox'
import { userDataSlot } from '../../protocol/slots.ts'
import { MessageDataSchema, UserDataType } from '../../protocol/wire/message_pb.js'
import type { Reader } from '../../storage/storage.ts'
import { Fid } from '../schemas.ts'

/** An account as people know it. */
export const Person = Type.Object({
  fid: Fid,
  username: Type.Optional(Type.String()),
  displayName: Type.Optional(Type.String()),
})
export type Person = Static<typeof Person>

const { USER_DATA_TYPE_USERNAME, USER_DATA_TYPE_DISPLAY } = UserDataType

/** What these accounts call themselves; an account without a profile is its fid. */
export async function readPeople(
  { messages }: Pick<Reader, 'messages'>,
  fids: readonly number[],
): Promise<ReadonlyMap<number, Person>> {
  const distinct = [...new Set(fids)]
  const people = new Map<number, Person>(distinct.map((fid) => [fid, { fid }]))
  const rows = await messages.bySlots(
    distinct.flatMap((fid) => [
      userDataSlot(fid, USER_DATA_TYPE_USERNAME),
      userDataSlot(fid, USER_DATA_TYPE_DISPLAY),
    ]),
  )
  for (const { fid, data } of rows) {
    const { body } = fromBinary(MessageDataSchema, data)
    if (body.case !== 'userDataBody' || body.value.value === '') continue
    const entry = body.value.type === USER_DATA_TYPE_USERNAME ? 'username' : 'displayName'
    people.set(fid, { ...people.get(fid)!, [entry]: body.value.value })
  }
  return people
}
