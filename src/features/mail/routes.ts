import Type from 'typebox'
import { OWNER_FIELDS } from '../../kernel/accounts/owner-request.ts'
import { described, textParam } from '../../kernel/http/input/params.ts'
import { bind, content, form, json, type Route, route } from '../../kernel/http/route.ts'
import { MAX_ADDRESS_CHARACTERS } from '../../kernel/protocol/mail-address.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import type { AddressChanges } from './address-changes.ts'
import { UNSUBSCRIBE_PATH } from './links.ts'
import { checkOn, type OwnAddresses } from './own-address.ts'
import type { Mails } from './port.ts'
import { MAX_REFUSALS } from './queue.ts'
import type { RefusedAddresses } from './refused-addresses.ts'
import { nullable } from './schemas.ts'
import { DIGESTS, LINK_PURPOSES } from './tables/addresses.ts'
import type { Unsubscribing } from './unsubscribe.ts'

// The address of a member, for the accounts interface: the custody key signs, or a link from a mail is shown.

const TAGS = [
  {
    name: 'E-mail',
    description: 'An address that a member may confirm: told to its owner alone.',
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

const secondsOf = (ms: number): number => Math.floor(ms / SECOND_MS)
const OwnMail = Type.Object(
  {
    address: nullable(Type.String()),
    pending: nullable(
      Type.String({ description: 'A link was sent there, and counts for an hour.' }),
    ),
    change: nullable(
      Type.Object({
        address: nullable(Type.String({ description: 'Null: none.' })),
        at: Type.Integer({ description: 'Unix seconds.' }),
      }),
    ),
    choices: nullable(
      Type.Object({
        decisions: Type.Boolean({ description: 'Decisions of moderators, and their answers.' }),
        reports: Type.Boolean({ description: 'For moderators: that reports wait.' }),
        digest: Type.Enum(DIGESTS),
      }),
    ),
    isStopped: Type.Boolean({
      description: 'Nothing but links is sent, because mails came back: add the address again.',
    }),
    refusedAt: nullable(
      Type.Integer({
        description: 'Unix seconds: when a mail server last refused a mail to it for good.',
      }),
    ),
  },
  { $id: 'OwnMail' },
)

export type MailTerms = {
  /** Whether there is a mail server now. */
  readonly isOn: () => Promise<boolean>
  readonly addresses: OwnAddresses
  readonly changes: AddressChanges
  readonly refused: RefusedAddresses
  readonly unsubscribing: Unsubscribing
  /** A link to the page of links in mails. */
  readonly page: Mails['page']
  /** How an account is called. */
  readonly nameOf: (fid: number) => Promise<{ username: string; displayName: string }>
}

type TermsContext = Pick<MailTerms, 'isOn'> & {
  /** Without a public URL there is nothing that a link could lead to. */
  readonly keepsAddresses: boolean
}

/** Whether the server sends mail; the rest where it can. */
export const mailRoutes = (context: MailTerms | undefined): Route[] => [
  ...bind({ isOn: context?.isOn ?? (async () => false), keepsAddresses: context !== undefined }, [
    terms,
  ]),
  ...(context
    ? bind(context, [
        ...[readOwn, add, remove, keep, choose, look, confirm, endChange],
        ...[refuse, unsubscribe, openUnsubscribe, sendWayBack],
      ])
    : []),
]

const terms = route(`GET ${PATH}`, {
  callers: 'anyone',
  summary: 'Whether this server sends e-mail',
  description:
    'Where it does not, the calls are refused that send a link, confirm an address or begin a recovery with a link, and no other address takes the place of one after its waiting time. Removing an address, and what links do that were sent before to stop a change, make it at once, refuse or unsubscribe, go on. With a mail server again, each change that waits begins its time anew, and its present address is told.',
  tags: TAGS,
  reply: Type.Object({
    isOn: Type.Boolean(),
    keepsAddresses: Type.Boolean({
      description:
        'Whether accounts may have an address here. If not, this server offers no other call about addresses.',
    }),
  }),
  errors: [],
  cost: 'lookup',
  handler: async ({ isOn, keepsAddresses }: TermsContext) => ({
    isOn: await isOn(),
    keepsAddresses,
  }),
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
  handler: async ({ addresses }: MailTerms, { body }) => {
    const { row, change, pending } = await addresses.read(body)
    return {
      address: row?.address ?? null,
      pending: pending ?? null,
      change: change ? { address: change.address, at: secondsOf(change.due) } : null,
      choices: row
        ? { decisions: row.decisions === 1, reports: row.reports === 1, digest: row.digest }
        : null,
      isStopped: row !== undefined && row.refusals >= MAX_REFUSALS,
      refusedAt: row?.refused_at == null ? null : secondsOf(row.refused_at),
    }
  },
})

const add = route(`POST ${PATH}/address`, {
  callers: 'anyone',
  summary: 'Send a link to an address, with which it becomes that of the account',
  description:
    'The action that is signed is `add mail address` and the address as it is sent. The answer is the same when the address belongs to another account, which is then told. ' +
    'In a day 5 for an account, 3 of them to one address, 12 to an address for all accounts, and 10 from one network (an IPv4 address or an IPv6 /48).',
  tags: TAGS,
  body: json(Type.Object({ ...OWNER_FIELDS, address })),
  reply: Sent,
  errors: [
    ...OWNER_ERRORS,
    'bad_request.validation_failure',
    'changed_meanwhile',
    'unauthorized.suspended',
    'rate_limited',
    'not_supported',
  ],
  limit: 'write',
  cost: { recoveries: 1, writes: 3 },
  handler: async (context: MailTerms, { body: { address, ...signed }, request }) => {
    await checkOn(context.isOn())
    await context.addresses.add(signed, address, request.ip)
    return SENT
  },
})

const remove = route(`POST ${PATH}/remove`, {
  callers: 'anyone',
  summary: 'Remove the address of an account',
  description:
    'The action that is signed is `remove mail address`. It is removed after seven days; the address is told, with a link that stops that or removes it at once. While the server sends no mail, devices alone are told.',
  tags: TAGS,
  body: json(Type.Object(OWNER_FIELDS)),
  reply: Done,
  errors: [...OWNER_ERRORS, 'changed_meanwhile', 'rate_limited'],
  limit: 'write',
  cost: { recoveries: 1, writes: 3 },
  handler: async (context: MailTerms, { body }) => {
    await context.addresses.remove(body)
    return DONE
  },
})

const keep = route(`POST ${PATH}/keep`, {
  callers: 'anyone',
  summary: 'Keep the address of an account that is about to change',
  description: 'The action that is signed is `keep mail address`.',
  tags: TAGS,
  body: json(Type.Object(OWNER_FIELDS)),
  reply: Done,
  errors: OWNER_ERRORS,
  limit: 'write',
  cost: 'write',
  handler: async ({ addresses }: MailTerms, { body }) => {
    await addresses.keep(body)
    return DONE
  },
})

const look = route(`POST ${PATH}/link`, {
  callers: 'anyone',
  summary: 'What a link would confirm, change or begin',
  description: 'It changes nothing, and the link counts as before.',
  tags: TAGS,
  body: json(Type.Object({ token })),
  reply: Type.Object({
    purpose: Type.Enum(LINK_PURPOSES, {
      description: '`recover` begins the recovery of the account: `POST /v1/recovery`.',
    }),
    address: Type.String({ description: 'Where the link was sent.' }),
    fid: Type.Integer(),
    username: Type.String(),
    displayName: Type.String(),
  }),
  errors: ['not_found', 'not_supported'],
  limit: 'write',
  cost: { cpu: 'moderate', rows: 5 },
  handler: async ({ addresses, nameOf }: MailTerms, { body }) => {
    const { purpose, address, fid } = await addresses.look(body.token)
    return { purpose, address, fid, ...(await nameOf(fid)) }
  },
})

const confirm = route(`POST ${PATH}/confirm`, {
  callers: 'anyone',
  summary: 'Confirm an address with the link that was sent there',
  description:
    'Nobody need be signed in. The link counts once. In place of another address it counts after seven days; that address is told, with a link that stops the change or makes it at once.',
  tags: TAGS,
  body: json(Type.Object({ token })),
  reply: Type.Object({
    fid: Type.Integer(),
    address: Type.String(),
    changesAt: nullable(Type.Integer({ description: 'Unix seconds; null: it counts now.' })),
  }),
  errors: ['not_found', 'not_supported'],
  limit: 'write',
  cost: 'write',
  handler: async (context: MailTerms, { body }) => {
    await checkOn(context.isOn())
    const { changesAt, ...confirmed } = await context.addresses.confirm(body.token)
    return { ...confirmed, changesAt: changesAt === undefined ? null : secondsOf(changesAt) }
  },
})

const endChange = route(`POST ${PATH}/change`, {
  callers: 'anyone',
  summary:
    'Stop a change of an address, or make it at once, with the link that the present address was sent',
  description:
    'Nobody need be signed in. The link counts once, and until the address changes. 400 when nothing was changed: the other address belongs to another account by now, or its reader wants no mail from here.',
  tags: TAGS,
  body: json(Type.Object({ token, how: Type.Enum(['stop', 'now']) })),
  reply: Done,
  errors: ['not_found', 'bad_request.conflict'],
  limit: 'write',
  cost: 'write',
  handler: async ({ changes }: MailTerms, { body: { token, how } }) => {
    await changes.end(token, how)
    return DONE
  },
})

const refuse = route(`POST ${PATH}/not-me`, {
  callers: 'anyone',
  summary: 'Have no more links sent to an address, with the link of a mail that came there',
  description:
    'For 90 days, whoever enters the address, for every account; `isRefused: false` allows them again. The link counts for 30 days, and what it has refused it allows again for as long as that lasts; it names no account, and the answer tells nothing of one.',
  tags: TAGS,
  body: json(Type.Object({ token, isRefused: Type.Boolean() })),
  reply: Done,
  errors: ['not_found'],
  limit: 'write',
  cost: 'write',
  handler: async ({ refused }: MailTerms, { body: { token, isRefused } }) => {
    await refused.set(token, isRefused)
    return DONE
  },
})

const choose = route(`POST ${PATH}/choices`, {
  callers: 'anyone',
  summary: 'Choose what is sent to the address of an account',
  description:
    'The action that is signed is `choose mail decisions=on reports=on digest=weekly`, with `off` for what is false. What touches the security of the account is always sent.',
  tags: TAGS,
  body: json(
    Type.Object({
      ...OWNER_FIELDS,
      decisions: Type.Boolean(),
      reports: Type.Boolean(),
      digest: Type.Enum(DIGESTS),
    }),
  ),
  reply: Done,
  errors: [...OWNER_ERRORS, 'changed_meanwhile'],
  limit: 'write',
  cost: 'write',
  handler: async ({ addresses }: MailTerms, { body }) => {
    await addresses.choose(body, body)
    return DONE
  },
})

const UNSUBSCRIBE_PARAMS = {
  token: described(textParam({ maxBytes: MAX_TOKEN_CHARACTERS }), 'Of the link in a mail.'),
}
const OneClick = Type.Object({ 'List-Unsubscribe': Type.Literal('One-Click') })

const unsubscribe = route(`POST ${UNSUBSCRIBE_PATH}/:token`, {
  callers: 'anyone',
  summary: 'End one kind of mail, with the link that is in each of them',
  description:
    'What List-Unsubscribe of a mail names (RFC 8058): programs post the form `List-Unsubscribe=One-Click`. The token ends this kind of mail to this address and does nothing else; the answer does not tell whether there is such an account.',
  tags: TAGS,
  params: UNSUBSCRIBE_PARAMS,
  // Whatever else is posted here did not come from the button of a mail program.
  body: form(OneClick),
  reply: Done,
  errors: ['not_found'],
  // Providers of mail post for all who read there.
  limit: { max: 600, windowSeconds: 60 },
  cost: 'write',
  handler: async ({ unsubscribing }: MailTerms, { params }) => {
    await unsubscribing.end(params.token)
    return DONE
  },
})

/** Programs that know no one click open the address that is meant for posts: they get the page with a button. */
const openUnsubscribe = route(`GET ${UNSUBSCRIBE_PATH}/:token`, {
  callers: 'anyone',
  summary: 'The page that asks before it ends a kind of mail',
  undocumented: true,
  params: UNSUBSCRIBE_PARAMS,
  reply: Type.String(),
  contentType: 'text/plain',
  errors: [],
  cost: 'lookup',
  handler: ({ page }: MailTerms, { params: { token } }) => {
    const headers = { location: page('unsubscribe', encodeURIComponent(token)) }
    return content('', 'text/plain', { status: 302, headers })
  },
})

const sendWayBack = route(`POST ${PATH}/recover`, {
  callers: 'anyone',
  summary: 'Send a link to the address of a lost account, with which its recovery begins',
  description:
    'The answer is the same whether or not this is the address of the account. In a day 5 for an account, 3 to an address, and 10 from one network.',
  tags: TAGS,
  body: json(Type.Object({ fid: OWNER_FIELDS.fid, address })),
  reply: Sent,
  errors: ['bad_request.validation_failure', 'rate_limited', 'not_supported'],
  limit: 'write',
  cost: { writes: 3 },
  handler: async (context: MailTerms, { body, request }) => {
    await checkOn(context.isOn())
    await context.addresses.sendWayBack(body, request.ip)
    return SENT
  },
})
