import type { AppContext, Viewer } from '../../kernel/app-api/context.ts'
import { castsPage } from '../../kernel/app-api/pages.ts'
import type { Cast } from '../../kernel/app-api/schemas.ts'
import { DAY_SECONDS, networkTime } from '../../kernel/protocol/time.ts'
import { LAST_DOC } from '../../kernel/storage/reads/app-feeds.ts'
import { firstDocAt } from '../../kernel/storage/views/views.ts'
import { type Carried, carriedToken } from '../../kernel/views/words.ts'
import { tokenMatch } from './search-filters.ts'

/** Matches that are looked at, at most: most of them are shown. */
const MAX_MATCHES = 500

/** The newest casts of some days that carry this, as strangers of their authors see them. */
export async function newestCarrying(
  context: AppContext,
  viewer: Viewer,
  { carried, days, limit }: { carried: Carried; days: number; limit: number },
): Promise<Cast[]> {
  const page = await context.search.castsWithWords({
    match: tokenMatch(carriedToken(carried)),
    viewer,
    from: firstDocAt(Math.max(0, networkTime(context.nowMs()) - days * DAY_SECONDS)),
    before: LAST_DOC,
    descending: true,
    limit,
    most: MAX_MATCHES,
  })
  return (await castsPage(context, viewer, page)).casts
}
