import { base58 } from '@scure/base'
import { getAddress } from 'viem/utils'
import { utf8Length } from '../bytes.ts'
import { checkBasename, checkEnsName, checkFname, usernameKind } from '../names.ts'
import type { UserDataBody } from '../wire/message_pb.js'
import { UserDataType } from '../wire/message_pb.js'
import { invalid, SOL_ADDRESS_BYTES } from './rules.ts'

const FIELD = 'userDataBody.value'
export const MAX_DISPLAY_BYTES = 32
export const MAX_USER_DATA_BYTES = 256
export const MAX_TWITTER_CHARACTERS = 15
export const MAX_GITHUB_CHARACTERS = 38
const ETH_ADDRESS_CHARACTERS = 42
const MAX_LATITUDE = 90
const MAX_LONGITUDE = 180

const LOCATION = /^geo:(-?\d{1,2}\.\d{2}),(-?\d{1,3}\.\d{2})$/
const TWITTER = /^[a-z0-9_]{0,15}$/
const GITHUB = /^[a-z\d](?:[a-z\d]|-(?!-)){0,38}$/i
/** CAIP-19: chain namespace and reference, asset namespace and reference, perhaps a token id. */
const ASSET = /^[a-z0-9]+:[a-zA-Z0-9]+\/[-a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}(?:\/[a-zA-Z0-9]+)?$/

/**
 * What each kind of profile value may be; `pro` is whether the author has the paid tier. An empty
 * value clears. Whether the fid owns the name or address is the caller's to check.
 */
export function checkUserData({ type, value }: UserDataBody, pro: boolean): void {
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

// The checksum of EIP-55 is asked for: the spelling is what clients will show.
function checkEthereumAddress(value: string): void {
  if (value.length !== ETH_ADDRESS_CHARACTERS) {
    throw invalid('invalid length for eth address', FIELD)
  }
  if (!/^0x[0-9a-fA-F]{40}$/.test(value) || getAddress(value) !== value) {
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
