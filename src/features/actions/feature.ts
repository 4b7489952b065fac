import { feature } from '../../kernel/feature.ts'
import { ACTIONS, FEATURED_ACTIONS, INSTALLED_ACTIONS } from './tables/actions.ts'

/** Programs on the web that act on a cast, offered under it. */
export const actions = feature({
  name: 'actions',
  tables: [ACTIONS, FEATURED_ACTIONS, INSTALLED_ACTIONS],
})
