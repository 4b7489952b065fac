import { fromBinary } from '@bufbuild/protobuf'
import { base58 } from '@scure/base'
import { toHex } from '../protocol/codec/bytes.ts'
import { NO_BYTES } from '../protocol/sizes.ts'
import { MESSAGE_SETS } from '../protocol/slots.ts'
import {
  type MessageData,
  MessageDataSchema,
  MessageType,
  Protocol,
  UserDataType,
} from '../protocol/wire/message_pb.js'
import { registrationTimes } from '../storage/reads/registration-times.ts'
import type { Reader } from '../storage/storage.ts'
import type { ViewUser } from '../storage/views/views.ts'
import { placeToken, tokensOf, xAccountToken } from './words.ts'

/** The part of a user that is the same for every reader, as members of a JSON object (see VIEW_USERS). */
export type RenderedProfile = Pick<ViewUser, 'fid' | 'name' | 'card' | 'profile'> & {
  readonly words: readonly string[]
}

/** Renders the profiles of these fids from the present store. Fids that are not registered get no texts. */
export async function renderProfiles(
  reader: Pick<Reader, 'accounts' | 'messages'>,
  fids: readonly number[],
): Promise<RenderedProfile[]> {
  if (fids.length === 0) return []
  const sets = [MESSAGE_SETS.userData, MESSAGE_SETS.verifications]
  const [custodies, rows, times] = await Promise.all([
    reader.accounts.custodies(fids),
    reader.messages.ofSets(fids.flatMap((fid) => sets.map((store) => ({ fid, store })))),
    registrationTimes(reader, fids),
  ])
  const registered = new Set(custodies.map(({ fid }) => fid))
  const messages = new Map<number, MessageData[]>(fids.map((fid) => [fid, []]))
  for (const { fid, data } of rows) {
    messages.get(fid)?.push(fromBinary(MessageDataSchema, data, { readUnknownFields: false }))
  }
  return fids.map((fid) =>
    registered.has(fid)
      ? rendered(fid, messages.get(fid)!, times.get(fid) ?? 0)
      : { fid, name: null, card: null, profile: null, words: [] },
  )
}

const { USER_DATA_TYPE_TWITTER, USER_DATA_TYPE_GITHUB } = UserDataType
const LOCATION = /^geo:(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$/

function rendered(
  fid: number,
  messages: readonly MessageData[],
  registeredAt: number,
): RenderedProfile {
  const values = new Map(
    messages.flatMap(({ body }) =>
      body.case === 'userDataBody' ? [[body.value.type, body.value.value] as const] : [],
    ),
  )
  const textOf = (type: UserDataType) => values.get(type) || undefined
  const verifications = messages
    .filter(({ type }) => type === MessageType.VERIFICATION_ADD_ETH_ADDRESS)
    .sort((a, b) => a.timestamp - b.timestamp || compareAddresses(a, b))
  const name = textOf(UserDataType.USER_DATA_TYPE_USERNAME)?.toLowerCase() ?? null
  const displayName = textOf(UserDataType.USER_DATA_TYPE_DISPLAY) ?? null
  const addresses = {
    eth_addresses: verifications.flatMap(ethAddress),
    sol_addresses: verifications.flatMap(solAddress),
  }
  const location = LOCATION.exec(textOf(UserDataType.USER_DATA_TYPE_LOCATION) ?? '')
  const banner = textOf(UserDataType.USER_DATA_TYPE_BANNER)
  const accounts = { x: textOf(USER_DATA_TYPE_TWITTER), github: textOf(USER_DATA_TYPE_GITHUB) }
  const card = {
    username: name ?? `!${fid}`,
    display_name: displayName,
    pfp_url: textOf(UserDataType.USER_DATA_TYPE_PFP) ?? null,
  }
  const profile = {
    registered_at: new Date(registeredAt * 1000).toISOString(),
    profile: {
      bio: { text: textOf(UserDataType.USER_DATA_TYPE_BIO) ?? '' },
      ...(banner && { banner: { url: banner } }),
      ...(location && {
        location: { latitude: Number(location[1]), longitude: Number(location[2]) },
      }),
    },
    verifications: addresses.eth_addresses,
    // Not read: they are no messages, so answers take them from the accounts. Rows of earlier versions have it too.
    auth_addresses: [],
    verified_addresses: {
      ...addresses,
      primary: {
        eth_address:
          textOf(UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM)?.toLowerCase() ??
          addresses.eth_addresses[0] ??
          null,
        sol_address:
          textOf(UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA) ??
          addresses.sol_addresses[0] ??
          null,
      },
    },
    verified_accounts: Object.entries(accounts).flatMap(([platform, username]) =>
      username === undefined ? [] : [{ platform, username }],
    ),
  }
  const words = [
    ...tokensOf(...[name, displayName].filter((text) => text !== null)),
    ...(accounts.x ? [xAccountToken(accounts.x)] : []),
    ...(location ? [placeToken(Number(location[1]), Number(location[2]))] : []),
  ]
  return { fid, name, card: membersOf(card), profile: membersOf(profile), words }
}

/** The members of a JSON object, without its braces. */
const membersOf = (value: object) => JSON.stringify(value).slice(1, -1)

function addressOf({ body }: MessageData) {
  return body.case === 'verificationAddAddressBody' ? body.value : undefined
}

function ethAddress(data: MessageData): string[] {
  const claim = addressOf(data)
  return claim?.protocol === Protocol.ETHEREUM ? [toHex(claim.address)] : []
}

function solAddress(data: MessageData): string[] {
  const claim = addressOf(data)
  return claim?.protocol === Protocol.SOLANA ? [base58.encode(claim.address)] : []
}

const compareAddresses = (a: MessageData, b: MessageData) =>
  Buffer.compare(addressOf(a)?.address ?? NO_BYTES, addressOf(b)?.address ?? NO_BYTES)
