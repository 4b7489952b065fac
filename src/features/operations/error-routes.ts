import Type from 'typebox'
import type { RecentErrors } from '../../kernel/http/recent-errors.ts'
import { type Route, route } from '../../kernel/http/route.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'

const ErrorJson = Type.Object({
  at: Type.Integer({ description: 'Unix seconds.' }),
  what: Type.String({ description: 'The text of the log entry.' }),
  message: Type.String(),
  where: Type.Optional(Type.String({ description: 'The route, the job or the method.' })),
  requestId: Type.Optional(Type.String({ description: 'What the caller got in x-request-id.' })),
})

/** The newest errors of this process. */
export const errorRoutes = (recent: RecentErrors): Route[] => [
  route('GET /errors', {
    callers: 'operator',
    summary: 'The newest errors of this process',
    description:
      'Up to 100, the newest first, since the process started. The log has the rest and the stacks.',
    tags: [{ name: 'Errors', description: 'What failed in this process.' }],
    reply: Type.Object({ errors: Type.Array(ErrorJson) }),
    errors: [],
    cost: 'lookup',
    handler: () => ({
      errors: recent.list().map(({ at, what, message, where, requestId }) => ({
        at: Math.floor(at / SECOND_MS),
        what,
        message,
        ...(where !== undefined && { where }),
        ...(requestId !== undefined && { requestId }),
      })),
    }),
  }),
]
