import Type from 'typebox'
import { OWNER_FIELDS } from '../../kernel/accounts/owner-request.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { MAX_ADDRESS_CHARACTERS } from '../../kernel/protocol/mail-address.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import type { OwnAddresses } from './own-address.ts'

// The address of a member, for the accounts interface: the custody key signs, or a link from a mail is shown.

const TAGS = [
  {
    name: 'E-mail',
    description:
      'An address that a member may confirm: told to its owner alone. Served where the operator has set a mail server.',
  },
]
const PATH = '/v1/mail'
const MAX_TOKEN_CHARACTERS = 200
const OWNER_ERRORS = ['InvalidSignature', 'SignatureExpired', 'HasNoId'] as const
const address = Type.String({
  maxLength: MAX_ADDRESS_CHARACTERS,
  description: 'Such as ada@example.org.',
})
const token = Type.String({
  minLength: 1,
  maxLength: MAX_TOKEN_CHARACTERS,
  description: 'Of the link in a mail.',
})
const Sent = Type.Object({ sent: Type.Literal(true) })
const SENT = { sent: true as const }
const Done = Type.Object({ success: Type.Literal(true) })
const DONE = { success: true as const }

const nullable = <S extends Type.TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const OwnMail = Type.Object(
  {
    address: nullable(Type.String()),
    pending: nullable(
      Type.String({ description: 'A link was sent there, and counts for an hour.' }),
    ),
    refusedAt: nullable(
      Type.Integer({
        description: 'Unix seconds: when a mail server last refused a mail to it for good.',
      }),
    ),
  },
  { $id: 'OwnMail' },
)

export type MailTerms = { readonly addresses: OwnAddresses | undefined }
type Terms = { readonly addresses: OwnAddresses }

/** Whether the server sends mail; the rest where it does. */
export const mailRoutes = ({ addresses }: MailTerms): Route[] => [
  ...bind({ addresses }, [terms]),
  ...(addresses ? bind({ addresses }, [readOwn, add, remove, confirm, sendWayBack]) : []),
]

const terms = route(`GET ${PATH}`, {
  callers: 'anyone',
  summary: 'Whether this server sends e-mail',
  description: 'Where it does not, the other calls about e-mail do not exist.',
  tags: TAGS,
  reply: Type.Object({ isOn: Type.Boolean() }),
  errors: [],
  cost: 'lookup',
  handler: ({ addresses }: MailTerms) => ({ isOn: addresses !== undefined }),
})

const readOwn = route(`POST ${PATH}/own`, {
  callers: 'anyone',
  summary: 'The address of an account, for its owner',
  description: 'The action that is signed is `read mail address`.',
  tags: TAGS,
  body: json(Type.Object(OWNER_FIELDS)),
  reply: OwnMail,
  errors: OWNER_ERRORS,
  limit: 'write',
  cost: 'write',
  handler: async ({ addresses }: Terms, { body }) => {
    const { row, pending } = await addresses.read(body)
    return {
      address: row?.address ?? null,
      pending: pending ?? null,
      refusedAt: row?.refused_at == null ? null : Math.floor(row.refused_at / SECOND_MS),
    }
  },
})

const add = route(`POST ${PATH}/address`, {
  callers: 'anyone',
  summary: 'Send a link to an address, with which it becomes that of the account',
  description:
    'The action that is signed is `add mail address` and the address as it is sent. The answer is the same when the address belongs to another account, which is then told. ' +
    'In a day 5 for an account, 3 to an address, and 10 from one network (an IPv4 address or an IPv6 /48).',
  tags: TAGS,
  body: json(Type.Object({ ...OWNER_FIELDS, address })),
  reply: Sent,
  errors: [
    ...OWNER_ERRORS,
    'bad_request.validation_failure',
    'changed_meanwhile',
    'unauthorized.suspended',
    'rate_limited',
  ],
  limit: 'write',
  cost: { recoveries: 1, writes: 3 },
  handler: async ({ addresses }: Terms, { body: { address, ...signed }, request }) => {
    await addresses.add(signed, address, request.ip)
    return SENT
  },
})

const remove = route(`POST ${PATH}/remove`, {
  callers: 'anyone',
  summary: 'Remove the address of an account',
  description: 'The action that is signed is `remove mail address`. The address is told.',
  tags: TAGS,
  body: json(Type.Object(OWNER_FIELDS)),
  reply: Done,
  errors: [...OWNER_ERRORS, 'changed_meanwhile'],
  limit: 'write',
  cost: 'write',
  handler: async ({ addresses }: Terms, { body }) => {
    await addresses.remove(body)
    return DONE
  },
})

const confirm = route(`POST ${PATH}/confirm`, {
  callers: 'anyone',
  summary: 'Confirm an address with the link that was sent there',
  description: 'Nobody need be signed in. The link counts once.',
  tags: TAGS,
  body: json(Type.Object({ token })),
  reply: Type.Object({ fid: Type.Integer(), address: Type.String() }),
  errors: ['not_found'],
  limit: 'write',
  cost: 'write',
  handler: ({ addresses }: Terms, { body }) => addresses.confirm(body.token),
})

const sendWayBack = route(`POST ${PATH}/recover`, {
  callers: 'anyone',
  summary: 'Send a link to the address of a lost account, with which its recovery begins',
  description:
    'The answer is the same whether or not this is the address of the account. In a day 5 for an account, 3 to an address, and 10 from one network.',
  tags: TAGS,
  body: json(Type.Object({ fid: OWNER_FIELDS.fid, address })),
  reply: Sent,
  errors: ['bad_request.validation_failure', 'rate_limited'],
  limit: 'write',
  cost: { writes: 3 },
  handler: async ({ addresses }: Terms, { body, request }) => {
    await addresses.sendWayBack(body, request.ip)
    return SENT
  },
})
