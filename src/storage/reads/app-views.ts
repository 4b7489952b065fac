import type { Engine } from '../engines/sql.ts'
import { appCastReader } from './app-casts.ts'
import { appFeedReader } from './app-feeds.ts'
import { appGraphReader } from './app-graph.ts'
import { appNoticeReader } from './app-notices.ts'
import { appRankingReader } from './app-ranking.ts'
import { appSearchReader } from './app-search.ts'

/** What the app API reads of the views, joined with the store. */
export const appViewReader = (engine: Engine) => ({
  ...appCastReader(engine),
  ...appGraphReader(engine),
  ...appNoticeReader(engine),
  ...appRankingReader(engine),
  ...appSearchReader(engine, engine.kind),
  ...appFeedReader(engine, engine.kind),
})
export type AppViewReader = ReturnType<typeof appViewReader>
