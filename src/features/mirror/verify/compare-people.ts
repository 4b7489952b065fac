import { mapAtMost } from '../../../kernel/base/concurrency.ts'
import { mirrorRows } from '../tables/mirror.ts'
import { asRejection } from './compared.ts'
import { type Difference, type Level, type VerifyParts, verifyPerson } from './verify-person.ts'

/** Each costs up to twelve requests to the source, and more for long lists. */
export const MAX_VERIFIED = 20

type Asked = {
  readonly level: Level
  readonly after?: number | undefined
  readonly fids?: readonly number[] | undefined
}

export type Compared = {
  readonly checked: number
  readonly differences: Difference[]
  /** People of whom the source was not read yet. */
  readonly notRead: number
  /** Of those who were named. */
  readonly notMirrored: number[]
  /** The last fid that was looked at; null: there are no more. */
  readonly next: number | null
}

/** Compares the next people, or those who are named, in the order of their fids; `concurrency` of them at a time. */
export async function comparePeople(
  parts: VerifyParts,
  { level, after = 0, fids }: Asked,
  concurrency: number,
): Promise<Compared> {
  const { storage, source } = parts
  const page = fids
    ? (await storage.of(mirrorRows).fids(fids)).toSorted((a, b) => a.fid - b.fid)
    : await storage.of(mirrorRows).fidsAfter(after, MAX_VERIFIED)
  const mirrored = page.filter(({ state }) => state !== 'frozen' && state !== 'context')
  const people = mirrored.filter(({ state }) => state !== 'waiting')
  const found = await mapAtMost(people, concurrency, ({ fid }) =>
    verifyPerson(parts, fid, level).catch((error: unknown) => {
      throw asRejection(error, source.host)
    }),
  )
  const known = new Set(mirrored.map(({ fid }) => fid))
  return {
    checked: people.length,
    differences: found.flat(),
    notRead: mirrored.length - people.length,
    notMirrored: [...new Set(fids)].filter((fid) => !known.has(fid)),
    next: fids || page.length < MAX_VERIFIED ? null : page.at(-1)!.fid,
  }
}
