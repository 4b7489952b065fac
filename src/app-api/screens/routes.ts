import type { Route } from '../../http/route.ts'
import type { AppContext } from '../context.ts'
import type { Calls } from './calls.ts'
import { castScreen } from './cast.ts'
import { channelScreen } from './channel.ts'
import { nameScreen, namesScreen } from './name.ts'
import { notificationsScreen } from './notifications.ts'
import { personScreen } from './person.ts'
import { searchScreen } from './search.ts'
import { storageScreen } from './storage.ts'

/** One route for each screen that is made of several calls. */
export const screenRoutes = (context: AppContext, calls: Calls): Route[] => [
  personScreen(context, calls),
  castScreen(context, calls),
  channelScreen(context, calls),
  searchScreen(context, calls),
  nameScreen(context, calls),
  namesScreen(context, calls),
  notificationsScreen(context, calls),
  storageScreen(context),
]
