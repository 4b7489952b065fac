import type { MessageReader } from '../../storage/messages/messages.ts'
import { readProfiles } from '../profiles.ts'

const ENTRIES = ['username', 'displayName', 'picture', 'bio'] as const

/** Profile entries that an account has filled in. */
export type FilledIn = { readonly [Entry in (typeof ENTRIES)[number]]: boolean }

/** The entries that a complete profile needs. */
export const isComplete = ({ username, displayName, picture, bio }: FilledIn): boolean =>
  username && displayName && (picture || bio)

/** The filled-in entries of accounts, in their order. */
export async function readFilledIn(
  messages: Pick<MessageReader, 'bySlots'>,
  fids: readonly number[],
): Promise<FilledIn[]> {
  const profiles = await readProfiles(messages, fids, ENTRIES)
  return profiles.map(({ username, displayName, picture, bio }) => ({
    username: username !== undefined,
    displayName: displayName !== undefined,
    picture: picture !== undefined,
    bio: bio !== undefined,
  }))
}
