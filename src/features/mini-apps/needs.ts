import type { Tag } from '../../kernel/http/route.ts'

import type { MiniAppContext } from './context.ts'
import type { MiniApps } from './mini-apps.ts'

/** What the routes of this feature need. */
export type Needs = { readonly context: MiniAppContext; readonly miniApps: MiniApps }

export const MINI_APPS: Tag[] = [
  {
    name: 'Mini apps',
    description:
      'Web apps that run inside clients: the catalogue, who has added them, and their notifications.',
  },
]
