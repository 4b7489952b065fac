import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createBrowserRouter, Outlet, type RouteObject } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { isLost, Refusal } from '../shared/request.ts'
import { forgetRefusal, noteRefusal } from './act/key-gone.ts'
import { MAX_RETRIES } from './api.ts'
import { Component as Home } from './screens/home.tsx'
import { SessionProvider } from './session/session.tsx'
import { Broken } from './shell/broken.tsx'
import { Shell } from './shell/shell.tsx'

/** How long an answer is shown without asking again. */
const FRESH_MS = 60_000
/** How long it is kept: going back is instant, and finds the place in a list. */
const KEPT_MS = 30 * 60_000

const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: noteRefusal,
    // What only a key of the account may ask was answered.
    onSuccess: (_, { queryKey: [of] }) => of === 'own' && forgetRefusal(),
  }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      gcTime: KEPT_MS,
      // Without a connection a request fails at once, and the screen says so.
      networkMode: 'always',
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (failures, error) => failures < MAX_RETRIES && isPassing(error),
    },
  },
})

/** Whether the same request may succeed a moment later. */
const isPassing = (error: Error): boolean =>
  error instanceof Refusal ? isLost(error) || error.status === 503 || error.status === 429 : true

/** Each screen is loaded when it is first shown; Home comes with the frame, in one file. */
const screens: RouteObject[] = [
  { index: true, Component: Home },
  { path: 'channels', lazy: () => import('./screens/channels.tsx') },
  { path: 'channels/new', lazy: () => import('./channels/new-channel.tsx') },
  { path: 'channel/:id/edit', lazy: () => import('./channels/edit-channel.tsx') },
  { path: 'channel/:id/:list?', lazy: () => import('./screens/channel.tsx') },
  { path: 'cast/:hash', lazy: () => import('./screens/cast.tsx') },
  { path: 'poll/:id', lazy: () => import('./screens/poll.tsx') },
  { path: 'notifications', lazy: () => import('./screens/notifications.tsx') },
  { path: 'notifications/settings', lazy: () => import('./push/settings.tsx') },
  { path: 'search', lazy: () => import('./screens/search.tsx') },
  { path: 'names', lazy: () => import('./screens/names.tsx') },
  { path: 'name/:name', lazy: () => import('./screens/name.tsx') },
  { path: 'events', lazy: () => import('./screens/events.tsx') },
  { path: 'join', lazy: () => import('./custody/join.tsx') },
  { path: 'join/sign-in', lazy: () => import('./custody/sign-in.tsx') },
  { path: 'join/recover', lazy: () => import('./custody/recover.tsx') },
  { path: 'mail', lazy: () => import('./custody/mail-link.tsx') },
  { path: 'join/wallet', lazy: () => import('./act/join.tsx') },
  { path: 'account', lazy: () => import('./account/account.tsx') },
  { path: 'import', lazy: () => import('./import/import.tsx') },
  { path: 'compose', lazy: () => import('./act/compose.tsx') },
  { path: 'profile', lazy: () => import('./act/edit-profile.tsx') },
  { path: 'settings', lazy: () => import('./screens/settings.tsx') },
  { path: 'help', lazy: () => import('./screens/help.tsx') },
  { path: 'about', lazy: () => import('./screens/about.tsx') },
  { path: 'consent', lazy: () => import('./screens/consent.tsx') },
  { path: 'rules', lazy: () => import('./screens/about.tsx') },
  { path: 'privacy', lazy: () => import('./screens/about.tsx') },
  { path: 'report', lazy: () => import('./moderation/report.tsx') },
  { path: 'bookmarks', lazy: () => import('./bookmarks/bookmarks.tsx') },
  { path: 'lists', lazy: () => import('./lists/lists.tsx') },
  { path: 'lists/:id', lazy: () => import('./lists/lists.tsx') },
  { path: 'muted', lazy: () => import('./moderation/muted.tsx') },
  { path: 'moderation', lazy: () => import('./moderation/standing.tsx') },
  { path: 'moderate', lazy: () => import('./moderation/moderate.tsx') },
  { path: 'moderate/:fid', lazy: () => import('./moderation/account.tsx') },
  { path: 'miniapps', lazy: () => import('./miniapps/screens/list.tsx') },
  { path: 'miniapps/settings', lazy: () => import('./miniapps/screens/settings.tsx') },
  { path: 'miniapps/:domain', lazy: () => import('./miniapps/screens/launch.tsx') },
  { path: 'miniapps/:domain/about', lazy: () => import('./miniapps/screens/about.tsx') },
  { path: 'development', lazy: () => import('./screens/development.tsx') },
  { path: 'development/mini-apps', lazy: () => import('./miniapps/room/room.tsx') },
  { path: 'development/snaps', lazy: () => import('./snaps/room/room.tsx') },
  // `/@raven` or, for accounts without a name, `/@!7`.
  { path: ':handle/:list?', lazy: () => import('./screens/person.tsx') },
  {
    path: '*',
    lazy: async () => ({ Component: (await import('./screens/not-found.tsx')).NotFound }),
  },
]

const router = createBrowserRouter([
  {
    Component: Root,
    ErrorBoundary: Broken,
    HydrateFallback: () => null,
    children: [{ ErrorBoundary: Broken, children: screens }],
  },
])

// A tap on a notification opens its place in a page that is open.
navigator.serviceWorker?.addEventListener('message', ({ data }) => {
  if (typeof data?.open === 'string') router.navigate(data.open)
})

function Root() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  )
}

export const App = () => (
  <QueryClientProvider client={queries}>
    <SessionProvider>
      <RouterProvider router={router} />
    </SessionProvider>
  </QueryClientProvider>
)
