import type { MessageReader } from '../../storage/messages.ts'
import { type Profile, readProfiles } from '../profiles.ts'

/** Profile entries that an account has filled in. */
export type FilledIn = { readonly [Entry in keyof Profile]-?: boolean }

/** The entries that a complete profile needs. */
export const isComplete = ({ username, displayName, picture, bio }: FilledIn): boolean =>
  username && displayName && (picture || bio)

/** The filled-in entries of accounts, in their order. */
export async function readFilledIn(
  messages: Pick<MessageReader, 'bySlots'>,
  fids: readonly number[],
): Promise<FilledIn[]> {
  const profiles = await readProfiles(messages, fids, ['username', 'displayName', 'picture', 'bio'])
  return profiles.map(({ username, displayName, picture, bio }) => ({
    username: username !== undefined,
    displayName: displayName !== undefined,
    picture: picture !== undefined,
    bio: bio !== undefined,
  }))
}
