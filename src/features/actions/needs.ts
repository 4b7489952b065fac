import type { Tag } from '../../kernel/http/route.ts'
import type { OnPlatform } from '../../kernel/platform/context.ts'

import type { Catalogue } from './catalogue.ts'

/** What the routes of this feature need. */
export type Needs = OnPlatform & { readonly catalogue: Catalogue }

export const ACTIONS: Tag[] = [
  {
    name: 'Actions',
    description: 'Cast actions and composer actions, and which of them a user has installed.',
  },
]
