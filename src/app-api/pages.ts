import type { FeedItem } from '../storage/reads/app-feeds.ts'
import type { Onlooker } from '../storage/reads/app-hidden.ts'
import type { AppContext } from './context.ts'
import { type CursorPart, type ListName, nextOf } from './cursor.ts'
import { hydrate } from './objects/hydrate.ts'
import type { Cast } from './schemas.ts'

/** A page of rows; one more row than fits was read. */
export function pageOf<T>(rows: readonly T[], limit: number): { items: T[]; last: T | undefined } {
  const items = rows.slice(0, limit)
  return { items, last: rows.length > limit ? items.at(-1) : undefined }
}

/** The casts of a page in the order of its items, each once; casts that are gone are missing. */
export async function castsOf(
  context: AppContext,
  onlooker: Onlooker,
  keys: readonly Uint8Array[],
): Promise<Cast[]> {
  const found = await hydrate(context, onlooker, { casts: keys })
  return keys.flatMap((key) => found.cast(key) ?? [])
}

/** The answer with a page of a feed by doc, of whose items one more than fits was read. */
export async function feedPage(
  context: AppContext,
  onlooker: Onlooker,
  { list, items, limit }: { list: ListName; items: readonly FeedItem[]; limit: number },
): Promise<{ casts: Cast[]; next: { cursor: string | null } }> {
  const page = pageOf(items, limit)
  const casts = await castsOf(
    context,
    onlooker,
    page.items.map(({ key }) => key),
  )
  const place: readonly CursorPart[] | undefined = page.last && [page.last.doc]
  return { casts, next: nextOf(list, place) }
}
