import type { Engine } from '../engines/engine.ts'
import { authorReader } from './app-authors.ts'
import { appCastReader } from './app-casts.ts'
import { followingReader } from './app-following.ts'
import { appGraphReader } from './app-graph.ts'
import { appNoticeReader } from './app-notices.ts'
import { placeReader } from './app-places.ts'
import { appRankingReader } from './app-ranking.ts'
import { appSearchReader } from './app-search.ts'
import { threadReader } from './app-threads.ts'
import { type ShownTexts, shownBy } from './shown.ts'

/** Reads of the app API: the views joined with the store. */
export const appViewReader = (engine: Engine, texts: ShownTexts) => {
  const shown = shownBy(texts)
  return {
    ...appCastReader(engine, shown),
    ...appGraphReader(engine, shown),
    ...appNoticeReader(engine, shown),
    ...appRankingReader(engine, shown),
    ...appSearchReader(engine, shown),
    ...followingReader(engine, shown),
    ...authorReader(engine),
    ...placeReader(engine, shown),
    ...threadReader(engine, shown),
  }
}
export type AppViewReader = ReturnType<typeof appViewReader>
