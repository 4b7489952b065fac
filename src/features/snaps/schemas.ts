import Type from 'typebox'
import type { RejectionCode } from '../../kernel/protocol/rejection.ts'
import { SNAP_TYPE } from './words.ts'

export const PageReply = Type.Unsafe<object>({
  type: 'object',
  $comment: 'Open: the format of snaps says what it has.',
  description: `A page of ${SNAP_TYPE} that may be drawn: version, theme, effects and ui. Texts that were too long are cut, elements that cannot be drawn are left out.`,
})

/** What a link leads to, when it is a snap. */
export const PreviewedSnap = Type.Object(
  {
    url: Type.String({
      description: 'Where the page was; what the link names may be an HTML page.',
    }),
    page: Type.Optional(PageReply),
    newerVersion: Type.Optional(
      Type.String({ description: 'The version of a page that this server does not know.' }),
    ),
  },
  { description: 'The first page of a snap, or its version when it is newer.' },
)

/** A snap may be one of this server, which says what its feature says. */
export const VIEW_ERRORS: readonly RejectionCode[] = [
  'bad_request.validation_failure',
  'unauthorized',
  'unauthorized.suspended',
  'not_found',
  'rate_limited',
]
export const PRESS_ERRORS: readonly RejectionCode[] = [
  ...VIEW_ERRORS,
  'bad_request.conflict',
  'not_supported',
]
