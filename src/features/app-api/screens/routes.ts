import type { AppContext } from '../../../kernel/app-api/context.ts'
import { bind, type Route } from '../../../kernel/http/route.ts'
import { castScreen } from './cast.ts'
import { channelScreen } from './channel.ts'
import { discoverScreen } from './discover.ts'
import { exploreScreen } from './explore.ts'
import { nameScreen, namesScreen } from './name.ts'
import { notificationsScreen } from './notifications.ts'
import { personScreen } from './person.ts'
import { searchScreen } from './search.ts'
import { storageScreen } from './storage.ts'

// One route for each screen of the web client that needs several reads. Lists are the answers of other routes, so that a
// client reads the next page there.

export const screenRoutes = (context: AppContext): Route[] =>
  bind(context, [
    personScreen,
    castScreen,
    channelScreen,
    searchScreen,
    nameScreen,
    namesScreen,
    notificationsScreen,
    storageScreen,
    discoverScreen,
    exploreScreen,
  ])
