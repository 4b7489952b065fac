import Type, { type Static } from 'typebox'

/** What is wrong about a mini app, and how to mend it. */
export const Fault = Type.Object(
  {
    severity: Type.Enum(['error', 'warning'], {
      description: 'An app with an error is not listed. A warning holds elsewhere or later.',
    }),
    code: Type.Enum([
      'unreachable',
      'not_json',
      'too_large',
      'field',
      'home_elsewhere',
      'loopback',
      'unsigned',
      'domain_mismatch',
      'bad_signature',
      'not_owner',
      'author_hidden',
      'author_changed',
      'other_domain',
      'icon',
      'webhook',
      'embed',
      'frame_refused',
      'redirect',
      'tunnel',
    ]),
    path: Type.Optional(
      Type.String({ description: 'Where in the manifest, such as miniapp.name.' }),
    ),
    message: Type.String(),
    fix: Type.String({ description: 'What to do about it.' }),
  },
  { $id: 'MiniAppFault' },
)
export type Fault = Static<typeof Fault>
export type FaultCode = Fault['code']

export const isError = ({ severity }: Fault): boolean => severity === 'error'

/** One line for people. */
export const lineOf = ({ path, message, fix }: Fault): string =>
  `${path === undefined ? '' : `${path} `}${message}. ${fix}`
