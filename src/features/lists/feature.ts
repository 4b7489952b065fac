import { feature } from '../../kernel/feature.ts'
import { LIST_MIGRATION } from './migrations/072-lists.ts'
import { FOLLOWED_TAGS, PEOPLE_LIST_MEMBERS, PEOPLE_LISTS } from './tables/lists.ts'

/** Tags that members follow, and their own lists of people, with a feed of each. Nobody else learns of them. */
export const lists = feature({
  name: 'lists',
  needs: ['app-api'],
  tables: [FOLLOWED_TAGS, PEOPLE_LISTS, PEOPLE_LIST_MEMBERS],
  migrations: [{ id: 72, what: 'followed tags and lists of people', statements: LIST_MIGRATION }],
  serve: () => import('./serve.ts'),
})
