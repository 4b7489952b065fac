import type { Tag } from '../../kernel/http/route.ts'

import type { KeyRequestContext } from './context.ts'
import type { KeyRequests } from './key-requests.ts'

/** What the routes of this feature need. */
export type Needs = { readonly context: KeyRequestContext; readonly keyRequests: KeyRequests }

export const KEY_REQUESTS: Tag[] = [
  {
    name: 'Signed key requests',
    description: 'How an app asks a user for a key, and how the user answers.',
  },
]
