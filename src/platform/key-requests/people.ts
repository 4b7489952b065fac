import Type, { type Static } from 'typebox'
import type { Reader } from '../../storage/storage.ts'
import { readProfiles } from '../profiles.ts'
import { Fid } from '../schemas.ts'

/** An account with its profile names. */
export const Person = Type.Object({
  fid: Fid,
  username: Type.Optional(Type.String()),
  displayName: Type.Optional(Type.String()),
})
export type Person = Static<typeof Person>

/** The profile names of accounts. An account without a profile has its fid only. */
export async function readPeople(
  { published }: Pick<Reader, 'published'>,
  fids: readonly number[],
): Promise<ReadonlyMap<number, Person>> {
  const distinct = [...new Set(fids)]
  const profiles = await readProfiles(published.messages, distinct, ['username', 'displayName'])
  return new Map(distinct.map((fid, i) => [fid, { fid, ...profiles[i] }]))
}
