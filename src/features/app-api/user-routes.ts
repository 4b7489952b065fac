import { fromBinary } from '@bufbuild/protobuf'
import { base58 } from '@scure/base'
import { VIEWS } from '../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../kernel/app-api/context.ts'
import {
  dehydratedUser,
  hydrate,
  timeOf,
  unixTimeOf,
} from '../../kernel/app-api/objects/hydrate.ts'
import { usersOf } from '../../kernel/app-api/pages.ts'
import {
  type Address,
  addressParam,
  boundedParam,
  ethAddressParam,
  viewerParam,
  wordsParam,
} from '../../kernel/app-api/params.ts'
import {
  FnameReply,
  StorageAllocationsReply,
  StorageUsageReply,
  type User,
  UserReply,
  UsersByAddressReply,
  UsersReply,
  VerificationsReply,
} from '../../kernel/app-api/schemas.ts'
import {
  described,
  fidParam,
  fidsParam,
  listParam,
  type Param,
} from '../../kernel/http/input/params.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import { toHex, toUtf8 } from '../../kernel/protocol/codec/bytes.ts'
import { FNAME_PATTERN } from '../../kernel/protocol/names.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { ADDRESS_BYTES } from '../../kernel/protocol/sizes.ts'
import {
  MESSAGE_SETS,
  usernameProofSlot,
  verificationsByAddressKey,
} from '../../kernel/protocol/slots.ts'
import {
  activeUnits,
  currentRents,
  limitOf,
  NO_END,
  type Rent,
  rentEnd,
  unitCount,
} from '../../kernel/protocol/storage-units.ts'
import { MessageDataSchema, MessageType, Protocol } from '../../kernel/protocol/wire/message_pb.js'
import { MAX_PAGE_SIZE } from '../../kernel/storage/reads/page.ts'
import { mirrorNameRows } from '../mirror/port.ts'

const USERS = [{ name: 'Users', description: 'Profiles with counts, addresses and storage.' }]

const MAX_FIDS = 100
const MAX_ADDRESSES = 350
/** Keys that an account may have, as the contracts count them. */
const MAX_SIGNERS = 1_000
const MAX_NAME_CHARACTERS = 64

const nameParam = (description: string): Param<string> => {
  const param = boundedParam(MAX_NAME_CHARACTERS, description)
  return {
    ...param,
    parse: (text, field) => param.parse(text, field).replace(/^@/, '').toLowerCase(),
  }
}
export const usernameParam = nameParam('A username; an @ before it is ignored.')
export const fnameParam = nameParam('A name of the registry.')

const ADDRESS_TYPES = ['custody_address', 'verified_address'] as const
const addressTypesParam: Param<(typeof ADDRESS_TYPES)[number][]> = {
  ...wordsParam(ADDRESS_TYPES, 'Which addresses to look at; both by default.'),
  absent: () => [...ADDRESS_TYPES],
}

/** Routes that look users up. */
export const userRoutes = (context: AppContext): Route[] =>
  bind(context, [
    usersByFid,
    usersByAddress,
    userByUsername,
    userByCustodyAddress,
    verifications,
    fnameAvailability,
    storageUsage,
    storageAllocations,
  ])

const usersByFid = route('GET /v2/farcaster/user/bulk', {
  callers: 'app',
  summary: 'Users by their fids',
  description: 'In the order asked for, each once. Fids that are not registered are missing.',
  tags: USERS,
  query: { fids: fidsParam(MAX_FIDS), viewer_fid: viewerParam },
  reply: UsersReply,
  cost: { cpu: 'small', rows: MAX_FIDS },
  isWhole: ({ users }, { fids }) => users.length === new Set(fids).size,
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fids } }) => ({
    users: await usersOf(context, viewer, [...new Set(fids)]),
  }),
})

const usersByAddress = route('GET /v2/farcaster/user/bulk-by-address', {
  callers: 'app',
  summary: 'Users by their addresses',
  description:
    'By custody addresses and by verified ones. Addresses without users are missing in the answer.',
  tags: USERS,
  query: {
    addresses: listParam(addressParam, { max: MAX_ADDRESSES }),
    address_types: addressTypesParam,
    viewer_fid: viewerParam,
  },
  reply: UsersByAddressReply,
  cost: { cpu: 'medium', rows: MAX_ADDRESSES },
  isWhole: (found, { addresses }) => Object.keys(found).length === addresses.length,
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const byAddress = await fidsByAddress(context, query.addresses, query.addressTypes)
    const fids = [...new Set([...byAddress.values()].flat())]
    const found = await hydrate(context, viewer, { users: fids })
    const entries = [...byAddress].flatMap(([address, held]): [string, User[]][] => {
      const users = held.toSorted((a, b) => a - b).flatMap((fid) => found.user(fid) ?? [])
      return users.length > 0 ? [[address, users]] : []
    })
    return Object.fromEntries(entries)
  },
})

export const userByUsername = route('GET /v2/farcaster/user/by_username', {
  callers: 'app',
  summary: 'A user by name',
  description:
    'The user whose profile has this username, else the holder of the name. 404 without any.',
  tags: USERS,
  query: { username: usernameParam, viewer_fid: viewerParam },
  reply: UserReply,
  errors: ['not_found'],
  cost: 'lookup',
  from: VIEWS,
  handler: async (context, { viewer, query: { username } }) => {
    const fid = await findByName(context, username)
    return { user: await getUser(context, viewer, fid, `no user is called ${username}`) }
  },
})

const userByCustodyAddress = route('GET /v2/farcaster/user/custody-address', {
  callers: 'app',
  summary: 'The user of a custody address',
  description: '404 when the address holds no fid.',
  tags: USERS,
  query: { custody_address: ethAddressParam },
  reply: UserReply,
  errors: ['not_found'],
  cost: 'lookup',
  from: VIEWS,
  handler: async (context, { viewer, query: { custodyAddress } }) => {
    const custody = await context.storage.accounts.byAddress(custodyAddress)
    const refusal = 'no user has this custody address'
    return { user: await getUser(context, viewer, custody?.fid, refusal) }
  },
})

const verifications = route('GET /v2/farcaster/user/verifications', {
  callers: 'app',
  summary: 'The verified addresses of a user',
  description: 'The oldest first, with the app that was used.',
  tags: USERS,
  query: { fid: fidParam },
  reply: VerificationsReply,
  cost: { cpu: 'small', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid } }) => {
    const { items } = await context.storage.published.messages.listByFid(
      { fid, store: MESSAGE_SETS.verifications, types: [VERIFICATION_ADD] },
      { size: MAX_PAGE_SIZE },
    )
    await context.keyApps.learn(items)
    const apps = items.map((message) => context.keyApps.appOf(message))
    const users = [...new Set(apps.filter((app) => app !== undefined))]
    const found = await hydrate(context, viewer, { users })
    return {
      verifications: items.flatMap((message, i) => {
        const { body } = fromBinary(MessageDataSchema, message.data)
        if (body.case !== 'verificationAddAddressBody') return []
        const isSolana = body.value.protocol === Protocol.SOLANA
        const { address } = body.value
        const app = apps[i] === undefined ? undefined : found.userDehydrated(apps[i])
        return {
          object: 'verification' as const,
          address: isSolana ? base58.encode(address) : toHex(address),
          protocol: isSolana ? ('solana' as const) : ('evm' as const),
          verified_at: timeOf(message.timestamp),
          ...(app && { app }),
        }
      }),
    }
  },
})

const fnameAvailability = route('GET /v2/farcaster/fname/availability', {
  callers: 'app',
  summary: 'Whether a name of the registry is free',
  description: 'False for texts that cannot be names, and for names that the operator keeps.',
  tags: USERS,
  query: { fname: fnameParam },
  reply: FnameReply,
  errors: [],
  cost: 'lookup',
  from: VIEWS,
  handler: async ({ storage, ports }, { query: { fname } }) => {
    if (!FNAME_PATTERN.test(fname) || ports.isReservedName(fname)) return { available: false }
    const proof = await storage.nameProofs.byName(toUtf8(fname))
    return { available: proof === undefined || proof.fid === 0 }
  },
})

export const storageUsage = route('GET /v2/farcaster/storage/usage', {
  callers: 'app',
  summary: 'How much a user has stored',
  description: 'Messages of each kind with what the active units allow, and active keys.',
  tags: USERS,
  query: { fid: described(fidParam, 'The user.') },
  reply: StorageUsageReply,
  errors: ['not_found'],
  cost: 'lookup',
  from: VIEWS,
  handler: async (context, { viewer, query: { fid } }) => {
    const { messages, accounts, storageLends } = context.storage
    const user = await getUser(context, viewer, fid, `fid ${fid} is not registered`)
    const [usage, holdings, signers] = await Promise.all([
      messages.usage([fid]),
      storageLends.holdings([fid]),
      accounts.activeSignerCount(fid),
    ])
    const now = Math.floor(context.nowMs() / 1_000)
    const units = activeUnits(holdings.of(fid), now, context.storageTerms)
    const of = (store: number) => ({
      object: 'storage' as const,
      used: usage.find((one) => one.store === store)?.count ?? 0,
      capacity: limitOf(units, store),
    })
    return {
      object: 'storage_usage' as const,
      user: dehydratedUser(user),
      casts: of(MESSAGE_SETS.casts),
      reactions: of(MESSAGE_SETS.reactions),
      links: of(MESSAGE_SETS.links),
      verified_addresses: of(MESSAGE_SETS.verifications),
      username_proofs: of(MESSAGE_SETS.usernameProofs),
      signers: { object: 'storage' as const, used: signers, capacity: MAX_SIGNERS },
      total_active_units: unitCount(units),
    }
  },
})

const storageAllocations = route('GET /v2/farcaster/storage/allocations', {
  callers: 'app',
  summary: 'The storage that a user has rented',
  description:
    'Active rents, the oldest first. Storage that does not end has the last expiry that events can name, in 2106.',
  tags: USERS,
  query: { fid: described(fidParam, 'The user.') },
  reply: StorageAllocationsReply,
  errors: [],
  cost: 'lookup',
  from: VIEWS,
  handler: async (context, { viewer, query: { fid } }) => {
    const found = await hydrate(context, viewer, { users: [fid] })
    const user = found.userDehydrated(fid)
    if (!user) return { total_active_units: 0, allocations: [] }
    const now = Math.floor(context.nowMs() / 1_000)
    const endOf = (rent: Rent) => rentEnd(rent, context.storageTerms)
    const active = currentRents(await context.storage.accounts.rents([fid]))
      .filter((rent) => now < endOf(rent))
      .sort((a, b) => a.rented_at - b.rented_at || a.block_number - b.block_number)
    return {
      total_active_units: active.reduce((sum, { units }) => sum + units, 0),
      allocations: active.map((rent) => ({
        object: 'storage_allocation' as const,
        user,
        units: rent.units,
        timestamp: unixTimeOf(rent.rented_at),
        expiry: unixTimeOf(Math.min(endOf(rent), NO_END)),
      })),
    }
  },
})

const VERIFICATION_ADD = MessageType.VERIFICATION_ADD_ETH_ADDRESS

/** The fids of each address, by the address as answers write it. */
async function fidsByAddress(
  { storage }: AppContext,
  addresses: readonly Address[],
  types: readonly ('custody_address' | 'verified_address')[],
): Promise<Map<string, number[]>> {
  const byText = new Map(addresses.map((address) => [address.text, address]))
  const distinct = [...byText.values()]
  const eth = distinct.filter(({ bytes }) => bytes.length === ADDRESS_BYTES)
  const [custodies, verified] = await Promise.all([
    types.includes('custody_address')
      ? storage.accounts.byAddresses(eth.map(({ bytes }) => bytes))
      : [],
    types.includes('verified_address')
      ? storage.appViews.fidsByTargets(
          distinct.map(({ bytes }) => verificationsByAddressKey(bytes)),
        )
      : [],
  ])
  const fids = new Map<string, Set<number>>()
  const add = (bytes: Uint8Array, fid: number) => {
    const text = bytes.length === ADDRESS_BYTES ? toHex(bytes) : base58.encode(bytes)
    fids.set(text, (fids.get(text) ?? new Set()).add(fid))
  }
  for (const { address, fid } of custodies) add(address, fid)
  for (const { target, fid } of verified) add(addressOfTarget(target), fid)
  return new Map([...fids].map(([text, held]) => [text, [...held]]))
}

/** The target of a verification is its set and its address. */
const addressOfTarget = (target: Uint8Array): Uint8Array => target.subarray(1)

/** The user whose profile has the name, else the holder of the name. */
export async function findByName(
  { storage }: AppContext,
  name: string,
): Promise<number | undefined> {
  const named = await storage.appViews.fidByName(name)
  if (named !== undefined) return named
  const proof = await storage.nameProofs.byName(toUtf8(name))
  if (proof && proof.fid > 0) return proof.fid
  const message = await storage.published.messages.bySlot(usernameProofSlot(name))
  if (message?.type === MessageType.USERNAME_PROOF) return message.fid
  return (await storage.of(mirrorNameRows).byName(toUtf8(name)))?.fid
}

/** Throws a Rejection with this message unless the fid is a registered user; one that is suspended is said to be so. */
export async function getUser(
  context: AppContext,
  viewer: Viewer,
  fid: number | undefined,
  refusal: string,
): Promise<User> {
  const [user] = fid === undefined ? [] : await usersOf(context, viewer, [fid])
  if (user) return user
  const account = fid === undefined ? undefined : await context.storage.moderation.account(fid)
  const text = account?.suspended ? 'this account is suspended on this server' : refusal
  throw new Rejection('not_found', text)
}
