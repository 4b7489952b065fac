import { fromBinary } from '@bufbuild/protobuf'
import { userDataSlot } from '../../protocol/slots.ts'
import { MessageDataSchema, UserDataType } from '../../protocol/wire/message_pb.js'
import type { MessageReader } from '../messages/messages.ts'

const TYPES = {
  username: UserDataType.USER_DATA_TYPE_USERNAME,
  displayName: UserDataType.USER_DATA_TYPE_DISPLAY,
  picture: UserDataType.USER_DATA_TYPE_PFP,
  bio: UserDataType.USER_DATA_TYPE_BIO,
  website: UserDataType.USER_DATA_TYPE_URL,
} as const

type ProfileEntry = keyof typeof TYPES

/** Profile entries of an account; empty ones are omitted. */
export type Profile<E extends ProfileEntry = ProfileEntry> = { readonly [Entry in E]?: string }

/** These profile entries of accounts, in the order of the accounts. */
export async function readProfiles<E extends ProfileEntry>(
  { bySlots }: Pick<MessageReader, 'bySlots'>,
  fids: readonly number[],
  entries: readonly E[],
): Promise<Profile<E>[]> {
  const rows = await bySlots(
    fids.flatMap((fid) => entries.map((entry) => userDataSlot(fid, TYPES[entry]))),
  )
  const texts = new Map<string, string>()
  for (const { fid, data } of rows) {
    const { body } = fromBinary(MessageDataSchema, data)
    if (body.case === 'userDataBody') texts.set(`${fid}/${body.value.type}`, body.value.value)
  }
  return fids.map((fid) => {
    const filled = entries.flatMap((entry) => {
      const text = texts.get(`${fid}/${TYPES[entry]}`)
      return text ? [[entry, text]] : []
    })
    return Object.fromEntries(filled) as Profile<E>
  })
}
