import { fromBinary } from '@bufbuild/protobuf'
import Type from 'typebox'
import { schemaStyle } from '../../kernel/http/faults.ts'
import { pageReply } from '../../kernel/http/input/paging.ts'
import { described, listParam, optional, withDefault } from '../../kernel/http/input/params.ts'
import { type Route, route } from '../../kernel/http/route.ts'
import type { OnPlatform } from '../../kernel/platform/context.ts'
import { cursor, fid, limit, oneOf } from '../../kernel/platform/params.ts'
import { PageOf, Result } from '../../kernel/platform/schemas.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_FID } from '../../kernel/protocol/sizes.ts'
import { userDataSlot } from '../../kernel/protocol/slots.ts'
import { MessageDataSchema, UserDataType } from '../../kernel/protocol/wire/message_pb.js'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { LinkedAccount } from '../../kernel/storage/tables/linked-accounts.ts'
import { type AddressProtocol, PROTOCOLS, primaryAddresses } from './primary.ts'

const TAGS = [
  {
    name: 'Addresses and accounts',
    description: 'Primary addresses of users, and their accounts on other platforms.',
  },
]
const MAX_FIDS = 100

const PrimaryAddress = Type.Object({
  fid: Type.Integer(),
  protocol: Type.Union([Type.Literal('ethereum'), Type.Literal('solana')]),
  address: Type.String(),
})
const protocolParam = described(oneOf(...PROTOCOLS), 'The protocol of the address.')
const WHICH =
  'The one that the profile names, else the one that was verified last. Ethereum addresses have their checksum.'

const primaryAddress = route('GET /fc/primary-address', {
  callers: 'anyone',
  summary: 'The primary address of a user',
  description: `${WHICH} 404 when there is none.`,
  tags: TAGS,
  query: { fid, protocol: protocolParam },
  reply: Result(Type.Object({ address: PrimaryAddress })),
  errors: ['not_found'],
  cost: { cpu: 'small', rows: 100 },
  handler: async ({ context }: OnPlatform, { query }) => {
    const found = await primaryAddresses(context.storage, [query.fid], query.protocol)
    const address = addressOf(found, query.fid, query.protocol)
    if (address) return { result: { address } }
    const text = `FID ${query.fid} has no primary ${query.protocol} address`
    throw new Rejection('not_found', text, { field: 'fid' })
  },
})

/** Numbers that are no fids are taken, as by the deployed platform: nobody has them. */
const anyFid = {
  schema: { type: 'integer' },
  parse: (text: string, field: string): number => {
    if (/^\d{1,15}$/.test(text.trim())) return Number(text)
    throw schemaStyle(field, { keyword: 'type', type: 'integer' })
  },
} as const

const primaryAddressList = route('GET /fc/primary-addresses', {
  callers: 'anyone',
  summary: 'The primary addresses of several users',
  description: `${WHICH} One entry for each fid, in the order asked for; at most ${MAX_FIDS}.`,
  tags: TAGS,
  query: {
    fids: described(listParam(anyFid, { max: MAX_FIDS }), 'Fids, separated by commas.'),
    protocol: protocolParam,
  },
  reply: Result(
    Type.Object({
      addresses: Type.Array(
        Type.Object({
          fid: Type.Integer(),
          success: Type.Boolean(),
          address: Type.Optional(PrimaryAddress),
        }),
      ),
    }),
  ),
  cost: { cpu: 'medium', rows: 1_000 },
  errors: [],
  handler: async ({ context }: OnPlatform, { query: { fids, protocol } }) => {
    const known = [...new Set(fids)].filter((one) => one > 0 && one <= MAX_FID)
    const found = await primaryAddresses(context.storage, known, protocol)
    return {
      result: {
        addresses: fids.map((one) => {
          const address = addressOf(found, one, protocol)
          return address ? { fid: one, success: true, address } : { fid: one, success: false }
        }),
      },
    }
  },
})

function addressOf(found: ReadonlyMap<number, string>, fid: number, protocol: AddressProtocol) {
  const address = found.get(fid)
  return address === undefined ? undefined : { fid, protocol, address }
}

const ENTRIES = {
  x: UserDataType.USER_DATA_TYPE_TWITTER,
  github: UserDataType.USER_DATA_TYPE_GITHUB,
} as const
const PLATFORMS = ['x', 'github', 'discord'] as const

const AccountVerification = Type.Object({
  fid: Type.Integer(),
  platform: Type.Union([Type.Literal('x'), Type.Literal('github'), Type.Literal('discord')]),
  platformId: Type.String({ description: 'The username: the id is known to the platform only.' }),
  platformUsername: Type.String(),
  verifiedAt: Type.Integer({ description: 'Unix seconds.' }),
})

const accountVerifications = route('GET /fc/account-verifications', {
  callers: 'anyone',
  summary: 'Accounts of users on other platforms',
  description:
    'By verifiedAt, the latest first, then by fid. What the profiles name: this server does not ask the other platform. ' +
    'Profiles have no discord accounts. A page may be short.',
  tags: TAGS,
  query: {
    fid: optional(described(fid, 'Only of this user.')),
    platform: described(withDefault(oneOf(...PLATFORMS), 'x'), 'The other platform.'),
    cursor: cursor('nn'),
    limit: limit({ default: 500, max: 1_000 }),
  },
  reply: PageOf(Type.Object({ verifications: Type.Array(AccountVerification) })),
  cost: { cpu: 'small', rows: 500 },
  errors: [],
  handler: async (
    { context: { storage } }: OnPlatform,
    { query: { platform, fid: whose, ...page } },
  ) => {
    const filter = { platform, fid: whose }
    const rows = await storage.linkedAccounts.newest(filter, page.cursor, page.limit + 1)
    const usernames = await usernamesOf(storage, rows)
    return pageReply(
      rows,
      page.limit,
      (row) => [row.verified_at, row.fid],
      (items) => ({
        verifications: items.flatMap((row) => {
          const username = usernames.get(row.fid)
          if (!username) return []
          const account = { platformId: username, platformUsername: username }
          return [{ fid: row.fid, platform, ...account, verifiedAt: row.verified_at }]
        }),
      }),
    )
  },
})

/** The usernames that the messages say; an empty one clears the entry. */
async function usernamesOf({ published }: Reader, rows: readonly LinkedAccount[]) {
  const slots = rows.map((row) => userDataSlot(row.fid, ENTRIES[row.platform]))
  const usernames = new Map<number, string>()
  for (const { fid, data } of await published.messages.bySlots(slots)) {
    const { body } = fromBinary(MessageDataSchema, data)
    if (body.case === 'userDataBody') usernames.set(fid, body.value.value)
  }
  return usernames
}

export const addressRoutes: readonly Route<OnPlatform>[] = [
  primaryAddress,
  primaryAddressList,
  accountVerifications,
]
