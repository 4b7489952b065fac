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

/** Reads of the app API: the views joined with the store. */
export const appViewReader = (engine: Engine) => ({
  ...appCastReader(engine),
  ...appGraphReader(engine),
  ...appNoticeReader(engine),
  ...appRankingReader(engine),
  ...appSearchReader(engine),
  ...followingReader(engine),
  ...authorReader(engine),
  ...placeReader(engine),
  ...threadReader(engine),
})
export type AppViewReader = ReturnType<typeof appViewReader>
