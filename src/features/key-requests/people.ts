import Type, { type Static } from 'typebox'
import { Fid } from '../../kernel/platform/schemas.ts'
import { readProfiles } from '../../kernel/storage/reads/profiles.ts'
import type { Reader } from '../../kernel/storage/storage.ts'

/** An account with its names and picture, as its profile states them. */
export const Person = Type.Object({
  fid: Fid,
  username: Type.Optional(Type.String()),
  displayName: Type.Optional(Type.String()),
  pictureUrl: Type.Optional(Type.String()),
})
export type Person = Static<typeof Person>

/** Accounts by their fids. An account without a profile has its fid only. */
export async function readPeople(
  { published }: Pick<Reader, 'published'>,
  fids: readonly number[],
): Promise<ReadonlyMap<number, Person>> {
  const distinct = [...new Set(fids)]
  const entries = ['username', 'displayName', 'picture'] as const
  const profiles = await readProfiles(published.messages, distinct, entries)
  return new Map(
    distinct.map((fid, i) => {
      const { picture, ...names } = profiles[i]!
      return [fid, { fid, ...names, ...(picture && { pictureUrl: picture }) }]
    }),
  )
}
