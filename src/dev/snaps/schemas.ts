import Type, { type Static } from 'typebox'
import { RULES, type SnapRule } from '../../features/snaps/faults.ts'
import { PageReply } from '../../features/snaps/schemas.ts'
import type { SnapPage } from '../../features/snaps/types.ts'

// What a developer is told of the server of a snap.

const Page = Type.Unsafe<SnapPage>(PageReply)

export const Fault = Type.Object(
  {
    severity: Type.Enum(['error', 'warning'], {
      description: 'With an error the link is shown plainly.',
    }),
    rule: Type.Enum(Object.keys(RULES) as SnapRule[], { description: 'Which rule is broken.' }),
    url: Type.String({ description: 'What was asked.' }),
    path: Type.Optional(
      Type.String({ description: 'Where in the answer, such as ui.elements.vote.props.label.' }),
    ),
    message: Type.String(),
    fix: Type.String({ description: 'What to do about it.' }),
  },
  { $id: 'SnapFault' },
)
export type Fault = Static<typeof Fault>

const Headers = Type.Record(Type.String(), Type.String())

export const Exchange = Type.Object(
  {
    what: Type.String({ description: 'Why this was asked.' }),
    method: Type.Enum(['GET', 'POST']),
    url: Type.String(),
    requestHeaders: Headers,
    requestBody: Type.Optional(Type.String()),
    status: Type.Optional(Type.Integer({ description: 'Left out when there was no answer.' })),
    responseHeaders: Headers,
    responseBody: Type.String({ description: 'Up to 256 KiB.' }),
    ms: Type.Integer({ description: 'Until the answer was complete.' }),
    page: Type.Optional(Page),
    error: Type.Optional(Type.String({ description: 'What the reader is told.' })),
    faults: Type.Array(Fault),
  },
  { $id: 'SnapExchange' },
)
export type Exchange = Static<typeof Exchange>

export const Report = Type.Object(
  {
    url: Type.String(),
    snapUrl: Type.Optional(
      Type.String({ description: 'Where the page is: the address itself, or what it names.' }),
    ),
    page: Type.Optional(Page),
    newerVersion: Type.Optional(Type.String()),
    faults: Type.Array(Fault),
    exchanges: Type.Array(Exchange),
    isReady: Type.Boolean({ description: 'Whether there is no error, only warnings.' }),
  },
  { $id: 'SnapReport' },
)
export type Report = Static<typeof Report>
