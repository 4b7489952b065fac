import Type, { type Static } from 'typebox'
import type { Reader } from '../../storage/storage.ts'
import { readProfiles } from '../profiles.ts'
import { Fid } from '../schemas.ts'

/** An account as people know it. */
export const Person = Type.Object({
  fid: Fid,
  username: Type.Optional(Type.String()),
  displayName: Type.Optional(Type.String()),
})
export type Person = Static<typeof Person>

/** What these accounts call themselves; an account without a profile is its fid. */
export async function readPeople(
  { messages }: Pick<Reader, 'messages'>,
  fids: readonly number[],
): Promise<ReadonlyMap<number, Person>> {
  const distinct = [...new Set(fids)]
  const profiles = await readProfiles(messages, distinct, ['username', 'displayName'])
  return new Map(distinct.map((fid, i) => [fid, { fid, ...profiles[i] }]))
}
