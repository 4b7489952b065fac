import { waitUntilApplied } from './catch-up.ts'
import type { MirrorContext } from './context.ts'
import type { Listed } from './listed.ts'
import { numberOf, SET_NAMES } from './source/lists.ts'
import type { Usage } from './source/source.ts'
import type { Watch } from './watch.ts'

/** Numbers that differ are asked for again so often. */
const COUNT_ATTEMPTS = 3

type Counted = {
  readonly counts: Readonly<Record<string, readonly [here: number, there: number]>>
  readonly isEqual: boolean
  readonly limits: Usage['limits']
  /** Events of the person that had been applied before the numbers were asked for. */
  readonly events: number
}

/**
 * The numbers here and at the source, by set. When they differ, the source is asked again, and the events are waited for
 * that it has then: what happens just now is not at both sides at the same time.
 */
export async function countBoth(
  context: MirrorContext,
  fid: number,
  lists: readonly Listed[],
  watch: Watch,
): Promise<Counted> {
  for (let attempt = 1; ; attempt++) {
    const { events } = watch
    const { used, limits } = await context.source.usage(fid)
    if (attempt > 1) await waitUntilApplied(context, fid)
    const counted = { ...(await countOnce(context, fid, lists, used)), events, limits }
    if (counted.isEqual || attempt === COUNT_ATTEMPTS) return counted
  }
}

async function countOnce(
  { storage, kind }: MirrorContext,
  fid: number,
  lists: readonly Listed[],
  used: ReadonlyMap<number, number>,
) {
  const usage = new Map((await storage.messages.usage([fid])).map((one) => [one.store, one.count]))
  const away = new Map(lists.map(({ set, refused, withheld }) => [set, refused.length + withheld]))
  const counts: Record<string, readonly [here: number, there: number]> = {}
  let isEqual = true
  for (const { set } of lists) {
    const here = numberOf(kind, set, (one) => usage.get(one) ?? 0)
    const kept = numberOf(kind, set, (one) => away.get(one) ?? 0)
    const there = used.get(set) ?? here + kept
    counts[SET_NAMES.get(set)!] = [here, there]
    if (here + kept !== there) isEqual = false
  }
  return { counts, isEqual }
}
