import type { StoreContext } from '../../kernel/app-api/context.ts'
import type { ActorsPort } from '../../kernel/app-api/ports.ts'
import type { RejectionCode } from '../../kernel/protocol/rejection.ts'

/** What the routes of this feature need. */
export type Needs = StoreContext & {
  readonly platform: ActorsPort
  readonly randomBytes: (size: number) => Uint8Array
}

export const LISTS = [
  {
    name: 'Lists of users',
    description: 'Tags that a user follows, and lists of people. Nobody else learns of them.',
  },
]

export const errors: readonly RejectionCode[] = [
  'unauthorized.suspended',
  'bad_request.validation_failure',
]
