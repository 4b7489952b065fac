import { base58 } from '@scure/base'
import { utf8Length } from '../codec/bytes.ts'
import { isChecksumAddress } from '../crypto/address-checksum.ts'
import { object, text } from '../json/json-schema.ts'
import { checkBasename, checkEnsName, checkFname, usernameKind } from '../names.ts'
import { SOL_ADDRESS_BYTES } from '../sizes.ts'
import type { UserDataBody } from '../wire/message_pb.js'
import {
  MessageType,
  UserDataBodySchema,
  UserDataType,
  UserDataTypeSchema,
} from '../wire/message_pb.js'
import { jsonLayout, writtenBy } from './json-layout.ts'
import { enumSchema } from './json-values.ts'
import { slotKeyOf } from './keys.ts'
import {
  type BodyContext,
  type DataInit,
  dataOf,
  MAX_DATA_BYTES,
  type MessageKind,
  type MessageSet,
  type Origin,
} from './kind.ts'
import { invalid } from './rules.ts'

/** Profile entries. */
export const userDataSet: MessageSet = {
  key: 'userData',
  number: 4,
  name: 'USER_DATA',
  messagesPerUnit: { legacy: 50, u2024: 50, u2025: 25 },
  announceOrder: 2,
  dependsOnOthers: true,
}

const FIELD = 'userDataBody.value'
const MAX_DISPLAY_BYTES = 32
const MAX_USER_DATA_BYTES = 256
const MAX_TWITTER_CHARACTERS = 15
const MAX_GITHUB_CHARACTERS = 38
const ETH_ADDRESS_CHARACTERS = 42
const MAX_LATITUDE = 90
const MAX_LONGITUDE = 180

const LOCATION = /^geo:(-?\d{1,2}\.\d{2}),(-?\d{1,3}\.\d{2})$/
const TWITTER = /^[a-z0-9_]{0,15}$/
const GITHUB = /^[a-z\d](?:[a-z\d]|-(?!-)){0,38}$/i
/** CAIP-19: chain namespace and reference, asset namespace and reference, optional token id. */
const ASSET = /^[a-z0-9]+:[a-zA-Z0-9]+\/[-a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}(?:\/[a-zA-Z0-9]+)?$/

/** One entry of a profile. Its slot is its type; an empty value clears it. */
export const userDataAddKind: MessageKind<'userDataBody'> = {
  type: MessageType.USER_DATA_ADD,
  body: 'userDataBody',
  set: userDataSet,
  isRemove: false,
  views: 'profile',
  maxDataBytes: MAX_DATA_BYTES,
  needsPro: ({ type }) => type === UserDataType.USER_DATA_TYPE_BANNER,
  targetFids: () => [],
  check: checkUserData,
  slotKey: ({ type }) => Uint8Array.of(type),
  withoutContent: ({ type }) => ({ type }),
  ...writtenBy(jsonLayout(UserDataBodySchema, ['type', 'value'])),
  schema: object(
    { type: enumSchema(UserDataTypeSchema, UserDataType.USER_DATA_TYPE_NONE), value: text() },
    { id: 'UserDataBody' },
  ),
}

/** Data of a USER_DATA_ADD. */
export function userDataAdd(origin: Origin, type: UserDataType, value: string): DataInit {
  return dataOf(origin, userDataAddKind, { type, value })
}

/** The slot of one entry of a fid's profile. */
export function userDataSlot(fid: number, type: number): Uint8Array {
  return slotKeyOf(userDataSet, fid, Uint8Array.of(type))
}

// Whether the author owns the name or address it claims is decided from state, not here.
function checkUserData({ type, value }: UserDataBody, { pro }: BodyContext): void {
  switch (type) {
    case UserDataType.USER_DATA_TYPE_PFP:
      checkLength(value, MAX_USER_DATA_BYTES, 'pfp')
      break
    case UserDataType.USER_DATA_TYPE_DISPLAY:
      checkLength(value, MAX_DISPLAY_BYTES, 'display')
      break
    case UserDataType.USER_DATA_TYPE_BIO:
      checkLength(value, MAX_USER_DATA_BYTES, 'bio')
      break
    case UserDataType.USER_DATA_TYPE_URL:
    case UserDataType.USER_DATA_TYPE_LIVE_AT:
      checkLength(value, MAX_USER_DATA_BYTES, 'url')
      break
    case UserDataType.USER_DATA_TYPE_BANNER:
      if (!pro) throw invalid('Pro subscription required', 'userDataBody.type')
      checkLength(value, MAX_USER_DATA_BYTES, 'banner')
      break
    default:
      checkStructured(type, value)
      break
  }
}

function checkStructured(type: UserDataType, value: string): void {
  const check = STRUCTURED[type]
  if (!check) throw invalid('invalid user data type', 'userDataBody.type')
  if (value !== '') check(value)
}

const STRUCTURED: Readonly<Record<number, (value: string) => void>> = {
  [UserDataType.USER_DATA_TYPE_USERNAME]: checkUsername,
  [UserDataType.USER_DATA_TYPE_LOCATION]: checkLocation,
  [UserDataType.USER_DATA_TYPE_TWITTER]: (value) =>
    checkHandle(value, MAX_TWITTER_CHARACTERS, TWITTER),
  [UserDataType.USER_DATA_TYPE_GITHUB]: (value) =>
    checkHandle(value, MAX_GITHUB_CHARACTERS, GITHUB),
  [UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM]: checkEthereumAddress,
  [UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA]: checkSolanaAddress,
  [UserDataType.USER_DATA_TYPE_PROFILE_TOKEN]: checkToken,
}

function checkLength(value: string, maxBytes: number, name: string): void {
  if (utf8Length(value) > maxBytes) throw invalid(`${name} value > ${maxBytes}`, FIELD)
}

function checkUsername(value: string): void {
  const kind = usernameKind(value)
  if (kind === 'fname') checkFname(value, FIELD)
  else if (kind === 'ens') checkEnsName(value, FIELD)
  else checkBasename(value, FIELD)
}

function checkLocation(value: string): void {
  const match = LOCATION.exec(value)
  if (!match) throw invalid('Invalid location string', FIELD)
  const [, latitude, longitude] = match
  if (Math.abs(Number(latitude)) > MAX_LATITUDE) {
    throw invalid('Latitude value outside valid range', FIELD)
  }
  if (Math.abs(Number(longitude)) > MAX_LONGITUDE) {
    throw invalid('Longitude value outside valid range', FIELD)
  }
}

function checkHandle(value: string, maxCharacters: number, pattern: RegExp): void {
  if (value.length > maxCharacters) {
    throw invalid(`username "${value}" > ${maxCharacters} characters`, FIELD)
  }
  if (!pattern.test(value)) throw invalid(`username "${value}" doesn't match ${pattern}`, FIELD)
}

// The EIP-55 checksum is required, because clients show the value as it is written.
function checkEthereumAddress(value: string): void {
  if (value.length !== ETH_ADDRESS_CHARACTERS) {
    throw invalid('invalid length for eth address', FIELD)
  }
  if (!isChecksumAddress(value)) {
    throw invalid('invalid ethereum address', FIELD)
  }
}

const MAX_BASE58_CHARACTERS = 44

function checkSolanaAddress(value: string): void {
  if (value.length > MAX_BASE58_CHARACTERS) throw invalid('invalid length for sol address', FIELD)
  const address = decodeBase58(value)
  if (!address) throw invalid('invalid solana address', FIELD)
  if (address.length !== SOL_ADDRESS_BYTES) throw invalid('invalid length for sol address', FIELD)
}

function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text)
  } catch {
    return undefined
  }
}

function checkToken(value: string): void {
  if (utf8Length(value) > MAX_USER_DATA_BYTES) throw invalid('CAIP-19 string too long', FIELD)
  if (!ASSET.test(value)) throw invalid('invalid CAIP-19 string', FIELD)
}
