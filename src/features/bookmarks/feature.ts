import { feature } from '../../kernel/feature.ts'
import { BOOKMARK_MIGRATION } from './migrations/068-bookmarks.ts'
import { BOOKMARKS } from './tables/bookmarks.ts'

/** Casts that a member keeps to read again. Nobody else learns of it. */
export const bookmarks = feature({
  name: 'bookmarks',
  needs: ['app-api'],
  tables: [BOOKMARKS],
  migrations: [{ id: 68, what: 'bookmarks', statements: BOOKMARK_MIGRATION }],
  serve: () => import('./serve.ts'),
})
