import { fromBinary } from '@bufbuild/protobuf'
import { userDataSlot } from '../../protocol/slots.ts'
import { MessageDataSchema, UserDataType } from '../../protocol/wire/message_pb.js'
import type { MessageReader } from '../../storage/messages.ts'

/** Which entries of its profile an account has filled in. */
export type Profile = { readonly [Entry in keyof typeof ENTRIES]: boolean }

const ENTRIES = {
  username: UserDataType.USER_DATA_TYPE_USERNAME,
  displayName: UserDataType.USER_DATA_TYPE_DISPLAY,
  picture: UserDataType.USER_DATA_TYPE_PFP,
  bio: UserDataType.USER_DATA_TYPE_BIO,
} as const

/** The least that says who somebody is. */
export const isComplete = ({ username, displayName, picture, bio }: Profile): boolean =>
  username && displayName && (picture || bio)

/** The profiles of accounts, in their order. */
export async function readProfiles(
  messages: Pick<MessageReader, 'bySlots'>,
  fids: readonly number[],
): Promise<Profile[]> {
  const types = Object.values(ENTRIES)
  const rows = await messages.bySlots(
    fids.flatMap((fid) => types.map((type) => userDataSlot(fid, type))),
  )
  const filled = new Set<string>()
  for (const { fid, data } of rows) {
    const { body } = fromBinary(MessageDataSchema, data)
    if (body.case !== 'userDataBody' || body.value.value === '') continue
    filled.add(`${fid}/${body.value.type}`)
  }
  return fids.map((fid) => {
    const has = (entry: keyof typeof ENTRIES) => filled.has(`${fid}/${ENTRIES[entry]}`)
    return {
      username: has('username'),
      displayName: has('displayName'),
      picture: has('picture'),
      bio: has('bio'),
    }
  })
}
